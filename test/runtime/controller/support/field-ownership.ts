import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';

/* Server-side apply, as far as tests of the controller need it: fields by manager, lists keyed by name or type, finalizers
 * as a set, every other list as a whole. */

type Json = Record<string, unknown>;

interface Manager {
  readonly manager: string;
  readonly operation: 'Apply';
  readonly subresource?: string;
  readonly fieldsV1: { readonly paths: readonly string[] };
}

/** A name, or what a list item is found by. */
type Step = string | { readonly key: string; readonly value: unknown };

const NOT_FIELDS = ['apiVersion', 'kind', 'metadata'];
const APPLIED_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** What an apply makes of an object; `old` undefined: there is none. */
export function applyFields(
  old: KubernetesObject | undefined,
  wanted: KubernetesObject,
  manager: string,
  subresource: 'status' | undefined,
): KubernetesObject {
  const next = copyOf(old ?? bare(wanted)) as unknown as Json;
  const managers = managersOf(old).filter((one) => one.manager !== manager || one.subresource !== subresource);
  const former = managersOf(old).find((one) => one.manager === manager && one.subresource === subresource);
  const fields = fieldsOf(wanted, subresource);
  const paths = new Set(fields.map(([path]) => JSON.stringify(path)));
  const others = new Set(managers.flatMap(({ fieldsV1 }) => fieldsV1.paths));
  for (const path of former?.fieldsV1.paths ?? []) {
    if (!paths.has(path) && !others.has(path)) remove(next, JSON.parse(path) as Step[]);
  }
  for (const [path, value] of fields) put(next, path, copyOf(value));
  const own: Manager = {
    manager,
    operation: 'Apply',
    ...(subresource && { subresource }),
    fieldsV1: { paths: [...paths].sort() },
  };
  const managedFields = [...managers, own].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return { ...next, metadata: { ...(next.metadata as object), managedFields } } as unknown as KubernetesObject;
}

function managersOf(object: KubernetesObject | undefined): readonly Manager[] {
  return (object?.metadata as { managedFields?: Manager[] } | undefined)?.managedFields ?? [];
}

function bare({ apiVersion, kind, metadata: { name, namespace } }: KubernetesObject): KubernetesObject {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
}

function fieldsOf(object: KubernetesObject, subresource: string | undefined): Array<[Step[], unknown]> {
  const { status, ...rest } = object as Json;
  if (subresource === 'status') return leaves(status, ['status']);
  const fields = Object.entries(rest).filter(([name]) => !NOT_FIELDS.includes(name));
  const metadata = Object.entries(rest.metadata as Json).filter(([name]) => APPLIED_METADATA.includes(name));
  return [
    ...fields.flatMap(([name, value]) => leaves(value, [name])),
    ...metadata.flatMap(([name, value]) => leaves(value, ['metadata', name])),
  ];
}

function leaves(value: unknown, path: Step[]): Array<[Step[], unknown]> {
  if (value === undefined) return [];
  if (Array.isArray(value)) {
    if (path.at(-1) === 'finalizers') return value.map((item) => [[...path, { key: '', value: item }], item]);
    const key = keyOf(value);
    if (key === undefined) return [[path, value]];
    return (value as Json[]).flatMap((item) => leaves(item, [...path, { key, value: item[key] }]));
  }
  if (isMap(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, field]) => leaves(field, [...path, name]));
  }
  return [[path, value]];
}

function keyOf(items: readonly unknown[]): string | undefined {
  if (items.length === 0 || !items.every(isMap)) return undefined;
  return ['name', 'type'].find((key) => items.every((item) => typeof item[key] === 'string'));
}

function put(target: Json, [step, ...rest]: Step[], value: unknown): void {
  const name = step as string;
  const [next] = rest;
  if (next === undefined) target[name] = value;
  else if (typeof next === 'string') {
    if (!isMap(target[name])) target[name] = {};
    put(target[name] as Json, rest, value);
  } else {
    if (!Array.isArray(target[name])) target[name] = [];
    const list = target[name] as unknown[];
    if (next.key === '') {
      if (!list.includes(value)) list.push(value);
      return;
    }
    let item = (list as Json[]).find((one) => one[next.key] === next.value);
    if (item === undefined) {
      item = { [next.key]: next.value };
      list.push(item);
    }
    put(item, rest.slice(1), value);
  }
}

function remove(target: Json, [step, ...rest]: Step[]): void {
  const name = step as string;
  const [next] = rest;
  if (next === undefined) delete target[name];
  else if (typeof next === 'string') {
    if (!isMap(target[name])) return;
    remove(target[name] as Json, rest);
    if (Object.keys(target[name] as Json).length === 0) delete target[name];
  } else {
    if (!Array.isArray(target[name])) return;
    const list = target[name] as unknown[];
    if (next.key === '') target[name] = list.filter((item) => item !== next.value);
    else {
      const item = (list as Json[]).find((one) => one[next.key] === next.value);
      if (item === undefined) return;
      // The key goes with the item.
      if (rest.length === 2 && rest[1] === next.key) target[name] = list.filter((one) => one !== item);
      else remove(item, rest.slice(1));
    }
    if ((target[name] as unknown[]).length === 0) delete target[name];
  }
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Not by structuredClone: its objects are of another realm than the test's, and equal to none of it. */
export function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
