import { isRecord } from '../../lib/api/validation/loose';

/**
 * What `live` has in the fields that `desired` names. Compared with what it had after our last write it shows whether
 * somebody has changed a field of ours, whatever defaults, normal forms and further fields the API server or others
 * have added.
 */
export function ownedFields(desired: unknown, live: unknown): unknown {
  if (Array.isArray(desired)) return Array.isArray(live) ? ownedItems(desired, live) : live;
  if (!isRecord(desired) || !isRecord(live)) return live;
  const names = Object.keys(desired).sort();
  return Object.fromEntries(names.map((name) => [name, ownedFields(desired[name], live[name])]));
}

/** Items with names are the same item wherever they stand. A list that others have made longer is taken whole. */
function ownedItems(desired: readonly unknown[], live: readonly unknown[]): unknown {
  const named = byName(live);
  if (named !== undefined && byName(desired) !== undefined) {
    return desired.map((item) => ownedFields(item, named.get((item as Named).name)));
  }
  return desired.length === live.length ? desired.map((item, index) => ownedFields(item, live[index])) : live;
}

interface Named {
  readonly name: string;
}

/** Undefined where an item has no name of its own. */
function byName(items: readonly unknown[]): ReadonlyMap<string, unknown> | undefined {
  const named = new Map(items.filter(isNamed).map((item) => [item.name, item]));
  return named.size === items.length ? named : undefined;
}

function isNamed(item: unknown): item is Named {
  return isRecord(item) && typeof item.name === 'string';
}
