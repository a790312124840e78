/** How the share of an endpoint that comes back grows. */
export interface Ramp {
  /** Clock, milliseconds. */
  readonly from: number;
  readonly lastsMs: number;
}

/**
 * In this time scorers learn the endpoint: some ten scrapes have told its load and a few answers its speed, and a cold
 * server has compiled and cached what its first requests make it. Milliseconds.
 */
const FULL_RAMP_MS = 10_000;

/** Who was away for a moment has lost nothing; yet all at once is a flood. */
const SHORTEST_RAMP_MS = 1000;

/** A ramp that begins now, as long as the endpoint was away, from 1 s to 10 s. */
export function rampAfter(awayMs: number, now: number): Ramp {
  return { from: now, lastsMs: Math.min(FULL_RAMP_MS, Math.max(SHORTEST_RAMP_MS, awayMs)) };
}

export function isOver({ from, lastsMs }: Ramp, now: number): boolean {
  return now - from >= lastsMs;
}

/**
 * Requests that it may have in flight: a share of the mean of the others that grows to all of it, and never fewer than
 * one, so that it can prove itself.
 */
export function rampLimit({ from, lastsMs }: Ramp, meanOfOthers: number, now: number): number {
  return Math.max(1, ((now - from) / lastsMs) * meanOfOthers);
}
