import { isRecord, textOf } from '../../lib/api/validation/loose';

/** Lists, and the field by which their items are told apart. */
type SharedLists = ReadonlyMap<string, string>;

const OF_ALL = [['ownerReferences', 'uid']] as const;

/**
 * By API version: lists to which others may add items of their own, which an apply leaves there. Of all other lists an
 * apply makes what we want, and nothing else.
 */
const SHARED: Readonly<Record<string, SharedLists>> = {
  v1: new Map([...OF_ALL, ['ports', 'name'], ['imagePullSecrets', 'name']]),
  'apps/v1': new Map([
    ...OF_ALL,
    ['containers', 'name'],
    ['initContainers', 'name'],
    ['volumes', 'name'],
    ['volumeMounts', 'mountPath'],
    ['env', 'name'],
    ['ports', 'name'],
    ['imagePullSecrets', 'name'],
    ['topologySpreadConstraints', 'topologyKey'],
  ]),
  'gateway.networking.k8s.io/v1': new Map([...OF_ALL, ['listeners', 'name']]),
};

const OF_OTHERS: SharedLists = new Map(OF_ALL);

/**
 * What `live` has in the fields that `desired` names. Compared with what it had after our last write it shows whether
 * somebody has changed a field of ours, whatever defaults, normal forms and further fields the API server or others
 * have added.
 */
export function ownedFields(desired: unknown, live: unknown): unknown {
  const apiVersion = isRecord(desired) ? textOf(desired.apiVersion) : undefined;
  return fieldsOf(desired, live, SHARED[apiVersion ?? ''] ?? OF_OTHERS);
}

function fieldsOf(desired: unknown, live: unknown, shared: SharedLists): unknown {
  if (Array.isArray(desired)) return Array.isArray(live) ? itemsByPlace(desired, live, shared) : live;
  if (!isRecord(desired) || !isRecord(live)) return live;
  const names = Object.keys(desired).sort();
  return Object.fromEntries(names.map((name) => [name, fieldOf(name, desired[name], live[name], shared)]));
}

function fieldOf(name: string, desired: unknown, live: unknown, shared: SharedLists): unknown {
  const key = shared.get(name);
  if (key === undefined || !Array.isArray(desired) || !Array.isArray(live)) return fieldsOf(desired, live, shared);
  const [ours, all] = [byKey(key, desired), byKey(key, live)];
  if (ours === undefined || all === undefined) return itemsByPlace(desired, live, shared);
  return [...ours].map(([value, item]) => fieldsOf(item, all.get(value), shared));
}

/** A list that others have made longer is taken whole. */
function itemsByPlace(desired: readonly unknown[], live: readonly unknown[], shared: SharedLists): unknown {
  return desired.length === live.length ? desired.map((item, index) => fieldsOf(item, live[index], shared)) : live;
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
