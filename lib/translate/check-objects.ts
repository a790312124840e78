import type { GatewayObject } from '../api/kinds';
import { validateObject } from '../api/validation/validate-object';
import { validateObjects } from '../api/validation/validate-objects';
import { faultLine, type SourcedValue } from './sourced-value';

/** A valid object, with defaults filled in, and where it was read. */
export interface CheckedObject<T extends GatewayObject = GatewayObject> {
  readonly object: T;
  readonly at: SourcedValue;
}

export type CheckResult =
  | { readonly objects: readonly CheckedObject[] }
  /** `file:line path: message`, all of them; at least one. */
  | { readonly faults: readonly string[] };

/** Validates each object, then all of them together. Kinds that the gateway does not read are left out. */
export function checkObjects(values: readonly SourcedValue[]): CheckResult {
  const faults: string[] = [];
  const objects: CheckedObject[] = [];
  for (const at of values) {
    const result = validateObject(at.value);
    if ('object' in result) objects.push({ object: result.object, at });
    if ('faults' in result) faults.push(...result.faults.map((fault) => faultLine(at, fault.path, fault.message)));
  }
  for (const fault of validateObjects(objects.map(({ object }) => object))) {
    const found = objects[fault.index];
    if (found) faults.push(faultLine(found.at, fault.path, fault.message));
  }
  return faults.length === 0 ? { objects } : { faults };
}

/** The objects of one kind, in order. */
export function ofKind<K extends GatewayObject['kind']>(
  objects: readonly CheckedObject[],
  kind: K,
): ReadonlyArray<CheckedObject<Extract<GatewayObject, { kind: K }>>> {
  return objects.filter((one): one is CheckedObject<Extract<GatewayObject, { kind: K }>> => one.object.kind === kind);
}
