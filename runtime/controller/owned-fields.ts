import { isRecord } from '../../lib/api/validation/loose';

/**
 * Lists to which others may add items of their own, which an apply leaves there; and the field by which items are told
 * apart. Of all other lists an apply makes what we want, and nothing else.
 */
const SHARED_LISTS: ReadonlyMap<string, string> = new Map([
  ['ownerReferences', 'uid'],
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['volumes', 'name'],
  ['volumeMounts', 'mountPath'],
  ['env', 'name'],
  ['ports', 'name'],
  ['imagePullSecrets', 'name'],
  ['topologySpreadConstraints', 'topologyKey'],
  ['listeners', 'name'],
]);

/**
 * What `live` has in the fields that `desired` names. Compared with what it had after our last write it shows whether
 * somebody has changed a field of ours, whatever defaults, normal forms and further fields the API server or others
 * have added.
 */
export function ownedFields(desired: unknown, live: unknown): unknown {
  if (Array.isArray(desired)) return Array.isArray(live) ? itemsByPlace(desired, live) : live;
  if (!isRecord(desired) || !isRecord(live)) return live;
  const names = Object.keys(desired).sort();
  return Object.fromEntries(names.map((name) => [name, ownedField(name, desired[name], live[name])]));
}

function ownedField(name: string, desired: unknown, live: unknown): unknown {
  const key = SHARED_LISTS.get(name);
  if (key === undefined || !Array.isArray(desired) || !Array.isArray(live)) return ownedFields(desired, live);
  const [ours, all] = [byKey(key, desired), byKey(key, live)];
  if (ours === undefined || all === undefined) return itemsByPlace(desired, live);
  return [...ours].map(([value, item]) => ownedFields(item, all.get(value)));
}

/** A list that others have made longer is taken whole. */
function itemsByPlace(desired: readonly unknown[], live: readonly unknown[]): unknown {
  return desired.length === live.length ? desired.map((item, index) => ownedFields(item, live[index])) : live;
}

/** Undefined where an item has no value of its own. */
function byKey(key: string, items: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const keyed = new Map<string, unknown>();
  for (const item of items) {
    const value = isRecord(item) ? item[key] : undefined;
    if (typeof value === 'string') keyed.set(value, item);
  }
  return keyed.size === items.length ? keyed : undefined;
}
