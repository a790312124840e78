/**
 * How fast an endpoint works off its queue, learned from the ends of requests. Only time counts during which requests
 * were waiting: without a queue, requests end as fast as they arrive, which says nothing of what the endpoint can do.
 */
export interface Drain {
  /** Time with a queue, seconds, and the requests that ended in it; both fade. */
  seconds: number;
  departures: number;
  /** Requests that ended in such time, ever. */
  seen: number;
  /** Requests in the batch when some were waiting: how many the endpoint takes at once. NaN until seen. */
  slots: number;
}

/** After this much time with a queue, an observation has lost about two thirds of its weight. Seconds. */
const MEMORY_SECONDS = 30;

/** A rate from fewer departures than this is chance. */
const MIN_DEPARTURES = 8;

/** Scrapes do not follow each other faster; a shorter time is a clock's grain. Seconds. */
const MIN_SECONDS = 0.001;

/** Other dispatchers' requests are scaled up to this share at most: beyond it the ledger knows too little. */
const MAX_SHARE = 100;

export function createDrain(): Drain {
  return { seconds: 0, departures: 0, seen: 0, slots: Number.NaN };
}

/**
 * Folds in the time between two scrapes that both showed requests waiting.
 * `ended`: requests of the ledger that ended in it. `present`: requests at the endpoint, `known`: those of them that
 * are in the ledger; what else is there came by another way and drains at the same pace.
 */
export function observeDrain(drain: Drain, seconds: number, ended: number, present: number, known: number): void {
  if (!(seconds >= MIN_SECONDS)) return;
  const share = Math.min(MAX_SHARE, Math.max(1, present / Math.max(1, known)));
  const keep = Math.exp(-seconds / MEMORY_SECONDS);
  drain.seconds = drain.seconds * keep + seconds;
  drain.departures = drain.departures * keep + ended * share;
  drain.seen += ended;
}

/** Requests per second; NaN while it has not been measured. */
export function drainPerSecond(drain: Drain): number {
  return drain.seen < MIN_DEPARTURES ? Number.NaN : drain.departures / drain.seconds;
}
