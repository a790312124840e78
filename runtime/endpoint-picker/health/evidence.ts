import type { ExclusionReason, HealthSubject, RequestFailure } from './endpoint-health';
import { mayExcludeByRequests } from './pool-health';
import { rampAfter } from './ramp';

/**
 * Failures in a row that exclude. One connection breaks by chance, as when a server closes an idle one; an error may be
 * its request's own fault.
 */
const STRIKES: Readonly<Record<RequestFailure, number>> = { connection: 2, 'no-answer': 2, errors: 5 };

/** Scrapes in a row whose connection broke. */
const BROKEN_SCRAPES = 2;

/** An exclusion by requests; each that follows soon is twice as long. Milliseconds. */
const FIRST_HOLD_MS = 1000;
const LONGEST_HOLD_MS = 30_000;
/** From so long after the last one on, it is a first one again. */
const FORGET_AFTER_MS = 2 * LONGEST_HOLD_MS;

/**
 * A response began, or its first token came. `pickedAt`: when its request was sent there. `good`: it is known to be no
 * error.
 */
export function answerBegan(endpoint: HealthSubject, pickedAt: number, now: number, good = false): void {
  const { health } = endpoint;
  health.aliveAt = now;
  health.strikes.connection = 0;
  health.strikes['no-answer'] = 0;
  if (good) health.strikes.errors = 0;
  // A server that shuts down refuses new connections and ends its old answers: that says nothing about new ones.
  if (health.exclusion?.reason === 'timeout') readmit(endpoint, now);
  const { probation } = health;
  if (probation === undefined || pickedAt < health.admittedAt) return;
  if (good || probation !== 'errors') endProbation(endpoint, now);
}

/** A request ended with success. */
export function requestSucceeded(endpoint: HealthSubject, pickedAt: number, now: number): void {
  const { health } = endpoint;
  health.strikes.errors = 0;
  if (health.probation !== undefined && pickedAt >= health.admittedAt) endProbation(endpoint, now);
}

/** A request failed there. Those of an earlier life, or from before the last answer, are no news. */
export function requestFailed(endpoint: HealthSubject, kind: RequestFailure, pickedAt: number, now: number): void {
  const { health, pool } = endpoint;
  if (pickedAt < health.admittedAt || health.exclusion !== undefined) return;
  if (kind !== 'errors' && pickedAt < health.aliveAt) return;
  health.strikes[kind] += 1;
  if (health.probation === undefined && health.strikes[kind] < STRIKES[kind]) return;
  if (!mayExcludeByRequests(pool.health)) return;
  const isFirst = now - health.admittedAt > FORGET_AFTER_MS;
  health.holdMs = isFirst ? FIRST_HOLD_MS : Math.min(LONGEST_HOLD_MS, Math.max(FIRST_HOLD_MS, health.holdMs * 2));
  exclude(endpoint, kind, now, now + health.holdMs);
}

/** A request that was sent there at `sentAt` is there no more: it ended, or another endpoint has it. */
export function requestLeft({ health }: HealthSubject, sentAt: number): void {
  if (sentAt < health.admittedAt && health.heldBefore > 0) health.heldBefore -= 1;
}

/** The server answered a scrape, with whatever status. */
export function scrapeTold(endpoint: HealthSubject, now: number): void {
  const { health, pool } = endpoint;
  pool.health.toldAt = now;
  health.brokenScrapes = 0;
  if (health.exclusion?.until === Number.POSITIVE_INFINITY) readmit(endpoint, now);
}

/**
 * A scrape failed that left at `sentAt`. Nothing listens: excluded at once. No answer in its time: excluded at once, unless
 * a request was answered meanwhile.
 */
export function scrapeFailed(
  endpoint: HealthSubject,
  how: Extract<ExclusionReason, 'refused' | 'timeout' | 'connection'>,
  sentAt: number,
  now: number,
): void {
  const { health } = endpoint;
  if (how === 'timeout' && health.aliveAt > sentAt) return;
  health.brokenScrapes += 1;
  if (how === 'connection' && health.brokenScrapes < BROKEN_SCRAPES) return;
  exclude(endpoint, how, now, Number.POSITIVE_INFINITY);
}

/**
 * The endpoint gets requests from now on; `awayMs`: for how long it did not, infinity where it never did. Where others are
 * established its share grows from one request.
 */
export function admit(endpoint: HealthSubject, awayMs: number, now: number): void {
  const { health, pool } = endpoint;
  if (health.exclusion !== undefined) return;
  health.admittedAt = now;
  health.probation = undefined;
  health.ramp = rampAfter(awayMs, now);
  if (!health.gone) pool.health.tended.add(endpoint);
}

/** The Ready condition is another one from now on. */
export function readinessChanged(endpoint: HealthSubject, ready: boolean, now: number): void {
  const { health } = endpoint;
  if (ready && health.readyUntil === Number.NEGATIVE_INFINITY) health.newcomer = true;
  if (ready) admit(endpoint, now - health.readyUntil, now);
  else health.readyUntil = now;
}

function exclude(endpoint: HealthSubject, reason: ExclusionReason, now: number, until: number): void {
  const { health, pool } = endpoint;
  const { exclusion } = health;
  // Who was still on its ramp goes through all of it again.
  health.exclusion = {
    reason,
    at: exclusion?.at ?? now,
    since: exclusion?.since ?? now - (health.ramp?.lastsMs ?? 0),
    until,
  };
  health.probation = undefined;
  health.ramp = undefined;
  health.barred = false;
  if (health.gone) return;
  pool.health.excluded.add(endpoint);
  // Scrapes alone end it: time does not.
  if (until === Number.POSITIVE_INFINITY) pool.health.tended.delete(endpoint);
  else pool.health.tended.add(endpoint);
}

function readmit(endpoint: HealthSubject, now: number): void {
  const { health } = endpoint;
  const since = health.exclusion?.since ?? now;
  health.exclusion = undefined;
  endpoint.pool.health.excluded.delete(endpoint);
  clearStrikes(endpoint);
  admit(endpoint, now - since, now);
}

function endProbation(endpoint: HealthSubject, now: number): void {
  const { health } = endpoint;
  health.probation = undefined;
  clearStrikes(endpoint);
  health.ramp = rampAfter(health.holdMs, now);
}

function clearStrikes({ health: { strikes } }: HealthSubject): void {
  for (const kind of Object.keys(strikes) as RequestFailure[]) strikes[kind] = 0;
}
