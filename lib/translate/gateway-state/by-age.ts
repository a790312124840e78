import type { GatewayObject } from '../../api/kinds';
import type { CheckedObject } from '../check-objects';

/** Oldest first by creationTimestamp, then by name; objects without a timestamp come last. */
export function byAge<T extends GatewayObject>(objects: ReadonlyArray<CheckedObject<T>>): Array<CheckedObject<T>> {
  return [...objects].sort(
    (a, b) => compare(created(a), created(b)) || compare(a.object.metadata.name, b.object.metadata.name),
  );
}

function created({ object }: CheckedObject): number {
  const time = Date.parse(object.metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

function compare<T extends number | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
