import type { HealthSubject, PoolHealth } from './endpoint-health';
import { isOver, rampLimit } from './ramp';

export function createPoolHealth(): PoolHealth {
  return { tended: new Set(), excluded: new Set(), ready: 0, toldAt: Number.NEGATIVE_INFINITY };
}

/**
 * Requests may exclude an endpoint as long as half of the ready ones stay, those included that scrapes exclude: where
 * requests fail everywhere, the fault may be theirs.
 */
export function mayExcludeByRequests({ excluded, ready }: PoolHealth): boolean {
  let out = 0;
  for (const endpoint of excluded) if (endpoint.ready) out += 1;
  return (out + 1) * 2 <= ready;
}

/** The endpoint has left its pool. Requests that it still has may tell of it, which changes nothing any more. */
export function forget({ tended, excluded }: PoolHealth, endpoint: HealthSubject): void {
  endpoint.health.gone = true;
  tended.delete(endpoint);
  excluded.delete(endpoint);
}

/**
 * Brings the endpoints that time changes up to date, and tells of each that a decision has to see anew. To be called
 * before a decision; where nothing is tended it costs nothing. `members`: all endpoints of the pool.
 */
export function tend<Subject extends HealthSubject>(
  pool: PoolHealth,
  members: Iterable<Subject>,
  now: number,
  changed: (endpoint: HealthSubject) => void,
): void {
  if (pool.tended.size === 0) return;
  for (const endpoint of pool.tended) advance(pool, endpoint, now, changed);
  const mean = meanInFlight(members, now);
  for (const endpoint of pool.tended) {
    const barred = isBarred(endpoint, mean, now);
    if (barred === endpoint.health.barred) continue;
    endpoint.health.barred = barred;
    changed(endpoint);
  }
}

/**
 * Lets endpoints that are only held back take more, where nobody else could. Tells whether there was one. `which`: all,
 * or only those that ramp, as a flood on one that has to prove itself would likely fail.
 */
export function liftBars(
  pool: PoolHealth,
  which: 'all' | 'ramping',
  changed: (endpoint: HealthSubject) => void,
): boolean {
  let lifted = false;
  for (const endpoint of pool.tended) {
    const { health } = endpoint;
    if (!health.barred || health.exclusion !== undefined) continue;
    if (which === 'ramping' && health.probation !== undefined) continue;
    health.barred = false;
    lifted = true;
    changed(endpoint);
  }
  return lifted;
}

function advance(
  { tended, excluded }: PoolHealth,
  endpoint: HealthSubject,
  now: number,
  changed: (endpoint: HealthSubject) => void,
): void {
  const { health } = endpoint;
  const { exclusion, ramp } = health;
  if (exclusion !== undefined && now >= exclusion.until) {
    health.exclusion = undefined;
    excluded.delete(endpoint);
    health.probation = exclusion.reason as NonNullable<typeof health.probation>;
    health.heldBefore = endpoint.load.requests;
    health.admittedAt = now;
    changed(endpoint);
  }
  if (ramp !== undefined && isOver(ramp, now)) health.ramp = undefined;
  if (health.exclusion !== undefined || health.probation !== undefined || health.ramp !== undefined) return;
  tended.delete(endpoint);
  if (!health.barred) return;
  health.barred = false;
  changed(endpoint);
}

/** Of those that are established and are preferred as their metrics are fresh; NaN: there is none. */
function meanInFlight(members: Iterable<HealthSubject>, now: number): number {
  let requests = 0;
  let count = 0;
  for (const { ready, freshUntil, health, load } of members) {
    if (!ready || now > freshUntil || health.exclusion || health.probation || health.ramp) continue;
    requests += load.requests;
    count += 1;
  }
  return requests / count;
}

function isBarred({ health, load }: HealthSubject, meanOfOthers: number, now: number): boolean {
  // Nobody is there to take it instead.
  if (Number.isNaN(meanOfOthers)) return false;
  if (health.probation !== undefined) return load.requests > health.heldBefore;
  return health.ramp !== undefined && load.requests >= rampLimit(health.ramp, meanOfOthers, now);
}
