/**
 * How fast an endpoint starts what waits there, learned from first tokens, or from ends where the engine does not count
 * those. Only time counts during which requests were waiting: without a queue, requests start as fast as they arrive,
 * which says nothing of what the endpoint can do.
 */
export interface Drain {
  /** Time with a queue, seconds, and the requests that started in it; both fade. */
  seconds: number;
  starts: number;
  /** Requests that started in such time, ever. */
  seen: number;
}

/** After this much time with a queue, an observation has lost about two thirds of its weight. Seconds. */
const MEMORY_SECONDS = 30;

/** A rate from fewer starts than this is chance. */
const MIN_STARTS = 8;

/** Scrapes do not follow each other faster; a shorter time is a clock's grain. Seconds. */
const MIN_SECONDS = 0.001;

/** Other dispatchers' requests are scaled up to this share at most: beyond it the ledger knows too little. */
const MAX_SHARE = 100;

export function createDrain(): Drain {
  return { seconds: 0, starts: 0, seen: 0 };
}

/**
 * Folds in the time between two scrapes that both showed requests waiting.
 * `started`: requests of the ledger that started in it. `present`: requests at the endpoint, `known`: those of them that
 * are in the ledger; what else is there came by another way and starts at the same pace.
 */
export function observeDrain(drain: Drain, seconds: number, started: number, present: number, known: number): void {
  if (!(seconds >= MIN_SECONDS)) return;
  const share = Math.min(MAX_SHARE, Math.max(1, present / Math.max(1, known)));
  const keep = Math.exp(-seconds / MEMORY_SECONDS);
  drain.seconds = drain.seconds * keep + seconds;
  drain.starts = drain.starts * keep + started * share;
  drain.seen += started;
}

/** Requests per second; NaN while it has not been measured. */
export function drainPerSecond(drain: Drain): number {
  return drain.seen < MIN_STARTS ? Number.NaN : drain.starts / drain.seconds;
}
