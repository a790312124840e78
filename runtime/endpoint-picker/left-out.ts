import type { PickRequest } from './endpoint-picker';
import type { PooledEndpoint } from './pooled-endpoint';
import type { LeftOut, LeftOutReason } from './scheduling/explanation';
import { subsetTest } from './subset';

/**
 * The endpoints of a pool that are no candidates, each with the first reason that holds. `candidates`: the places in
 * `endpoints` of those that are. `now`: clock, milliseconds.
 */
export function leftOut(
  endpoints: readonly PooledEndpoint[],
  candidates: Int32Array,
  { subset }: PickRequest,
  now: number,
): LeftOut[] {
  const kept = new Set(candidates);
  const isAllowed = subsetTest(subset);
  return endpoints.flatMap((endpoint, place) => {
    if (kept.has(place)) return [];
    const { pod, address } = endpoint;
    return { pod, address, reason: reasonOf(endpoint, isAllowed(address), now) };
  });
}

function reasonOf({ ready, freshUntil, health }: PooledEndpoint, isAllowed: boolean, now: number): LeftOutReason {
  if (!isAllowed) return 'not-in-subset';
  if (!ready) return 'not-ready';
  if (health.exclusion !== undefined) return 'failing';
  if (health.barred) return 'ramping';
  if (!(now <= freshUntil)) return 'stale';
  return 'no-room';
}
