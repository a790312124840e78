import type { GatewayObject } from '../api/kinds';
import type { FieldPath } from '../api/validation/fault';
import { property } from '../api/validation/loose';
import { validateObject } from '../api/validation/validate-object';
import { validateObjects } from '../api/validation/validate-objects';
import { faultLine, type SourcedValue } from './sourced-value';

/** A valid object, with defaults filled in, and where it was read. */
export interface CheckedObject<T extends GatewayObject = GatewayObject> {
  readonly object: T;
  readonly at: SourcedValue;
}

export type CheckResult =
  | {
      readonly objects: readonly CheckedObject[];
      /** In tolerant mode: a line for each fault of an object that was left out. */
      readonly leftOut: readonly string[];
    }
  /** `file:line path: message`, all of them; at least one. */
  | { readonly faults: readonly string[] };

export interface CheckOptions {
  /**
   * Faults of objects other than an InferenceGatewayConfig leave these out, instead of holding back everything: for a
   * cluster, where objects belong to many and one's mistake must not stop the others. Default false.
   */
  readonly tolerant?: boolean;
}

/** Validates each object, then all of them together. Kinds that the gateway does not read are left out. */
export function checkObjects(values: readonly SourcedValue[], { tolerant = false }: CheckOptions = {}): CheckResult {
  const faults: string[] = [];
  const leftOut: string[] = [];
  const refused = new Set<CheckedObject>();
  const tell = (at: SourcedValue, path: FieldPath, message: string) => {
    const spared = tolerant && property(at.value, 'kind') !== 'InferenceGatewayConfig';
    (spared ? leftOut : faults).push(faultLine(at, path, message));
  };

  const objects: CheckedObject[] = [];
  for (const at of values) {
    const result = validateObject(at.value);
    if ('object' in result) objects.push({ object: result.object, at });
    if ('faults' in result) for (const { path, message } of result.faults) tell(at, path, message);
  }
  for (const { index, path, message } of validateObjects(objects.map(({ object }) => object))) {
    const found = objects[index];
    if (found === undefined) continue;
    refused.add(found);
    tell(found.at, path, message);
  }
  if (faults.length > 0) return { faults };
  return { objects: objects.filter((object) => !refused.has(object)), leftOut };
}

/** The objects of one kind, in order. */
export function ofKind<K extends GatewayObject['kind']>(
  objects: readonly CheckedObject[],
  kind: K,
): ReadonlyArray<CheckedObject<Extract<GatewayObject, { kind: K }>>> {
  return objects.filter((one): one is CheckedObject<Extract<GatewayObject, { kind: K }>> => one.object.kind === kind);
}
