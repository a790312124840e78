import { isOver, type Ramp } from './ramp';

/**
 * Why an endpoint is excluded. By its metrics page: `refused`, nothing listens; `timeout`, nothing of it was heard in the
 * time of a scrape. By requests: `no-answer`, they end without a response; `errors`, with the server's own errors. By
 * either: `connection`, connections break.
 */
export const EXCLUSION_REASONS = ['refused', 'timeout', 'connection', 'no-answer', 'errors'] as const;

export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

/** What a request can tell against an endpoint. */
export type RequestFailure = Extract<ExclusionReason, 'connection' | 'no-answer' | 'errors'>;

/**
 * The health of one generation of an endpoint. Clock times are milliseconds, minus infinity before the first.
 *
 * Open -> excluded, by evidence. An exclusion by scrapes ends with the scrape that is answered: another one always comes.
 * One by requests ends by itself, as only a request can show that the fault is gone: excluded -> probation (one request)
 * -> ramp -> open.
 */
export interface EndpointHealth {
  exclusion: Exclusion | undefined;
  /** The fault after which it has to prove itself on one request. */
  probation: RequestFailure | undefined;
  /** Requests from before its probation that it still has: they prove nothing, and do not count in it. */
  heldBefore: number;
  /** How its share grows after it was away. */
  ramp: Ramp | undefined;
  /** It ramps or is on probation, and has as many requests as that allows. */
  barred: boolean;
  /** Failures in a row, each kind by its own sign of the contrary. */
  readonly strikes: Record<RequestFailure, number>;
  brokenScrapes: number;
  /** When it last answered a request: headers or a first token came. */
  aliveAt: number;
  /** When its present life began: what was picked before says nothing about it. */
  admittedAt: number;
  /** Clock: when it was ready last, before it was not. */
  readyUntil: number;
  /** Length of the last exclusion by requests. */
  holdMs: number;
  /** It came, or was ready first, when the pool was at work: until its first metrics it is as new. */
  newcomer: boolean;
  /** It has left its pool, and only requests point at it. */
  gone: boolean;
}

interface Exclusion {
  readonly reason: ExclusionReason;
  readonly at: number;
  /** From when on it has not had its share. */
  readonly since: number;
  /** Infinity where the next answered scrape ends it. */
  readonly until: number;
}

/** What health reads of an endpoint. */
export interface HealthSubject {
  readonly health: EndpointHealth;
  readonly ready: boolean;
  /** Clock, milliseconds: so long its metrics are fresh. */
  readonly freshUntil: number;
  readonly load: { readonly requests: number };
  readonly pool: { readonly health: PoolHealth };
}

/** What the endpoints of a pool share about their health. */
export interface PoolHealth {
  /** Endpoints that ramp, are on probation, or are excluded for a time: those that time alone changes. */
  readonly tended: Set<HealthSubject>;
  /** Endpoints that are excluded, by whatever evidence. */
  readonly excluded: Set<HealthSubject>;
  /** Endpoints that are ready. */
  ready: number;
  /** Clock, milliseconds: when a scrape of any endpoint was answered last. */
  toldAt: number;
}

export function createHealth(): EndpointHealth {
  return {
    exclusion: undefined,
    probation: undefined,
    heldBefore: 0,
    ramp: undefined,
    barred: false,
    strikes: { connection: 0, 'no-answer': 0, errors: 0 },
    brokenScrapes: 0,
    aliveAt: Number.NEGATIVE_INFINITY,
    admittedAt: Number.NEGATIVE_INFINITY,
    readyUntil: Number.NEGATIVE_INFINITY,
    holdMs: 0,
    newcomer: false,
    gone: false,
  };
}

/** New requests may go there. */
export function isOpen({ ready, health }: Pick<HealthSubject, 'ready' | 'health'>): boolean {
  return ready && health.exclusion === undefined && !health.barred;
}

/** Others that were heard so long after one fell silent show that it is not the scrapes that fail. Milliseconds. */
const HEARD_AFTER_MS = 2000;

/**
 * The same where no endpoint has fresh metrics: silence says nothing against one then, unless scrapes of others are
 * answered, if only with an error.
 */
export function isOpenWithoutMetrics({ ready, health, pool }: HealthSubject): boolean {
  if (!ready || health.barred) return false;
  const { exclusion } = health;
  if (exclusion?.reason === 'timeout') return pool.health.toldAt < exclusion.at + HEARD_AFTER_MS;
  return exclusion === undefined;
}

/** Why it is excluded at this moment; undefined: it is not. */
export function exclusionAt({ exclusion }: EndpointHealth, now: number): ExclusionReason | undefined {
  return exclusion !== undefined && now < exclusion.until ? exclusion.reason : undefined;
}

/** It is no longer excluded, and its share grows as yet. */
export function isRamping({ exclusion, probation, ramp }: EndpointHealth, now: number): boolean {
  if (exclusion !== undefined) return now >= exclusion.until;
  return probation !== undefined || (ramp !== undefined && !isOver(ramp, now));
}
