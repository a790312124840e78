/**
 * How fast requests of a band that wait are let go, as a fading mean over the time in which some waited. Time without a queue says
 * nothing of how fast one would drain.
 */
export interface DispatchRate {
  seconds: number;
  dispatched: number;
  /** Clock, milliseconds: up to when time is counted; undefined while none waits. */
  since: number | undefined;
}

/** After this much time with a queue, an observation has lost about two thirds of its weight. Seconds. */
const MEMORY_SECONDS = 20;

/** Fewer than these in some time are chance: taken is the rate at which so many would have gone, so no drain is told too long. */
const MIN_DISPATCHED = 4;

export function createDispatchRate(): DispatchRate {
  return { seconds: 0, dispatched: 0, since: undefined };
}

/** To be called when a request begins to wait, is let go (`dispatched` 1) or leaves otherwise; `waiting`: how many then wait. */
export function noteDispatch(rate: DispatchRate, dispatched: number, waiting: number, now: number): void {
  if (rate.since !== undefined) {
    const seconds = (now - rate.since) / 1000;
    const keep = Math.exp(-seconds / MEMORY_SECONDS);
    rate.seconds = rate.seconds * keep + seconds;
    rate.dispatched = rate.dispatched * keep + dispatched;
  }
  rate.since = waiting > 0 ? now : undefined;
}

/** Milliseconds until `ahead` waiting requests are let go; 0 where none has waited before. */
export function drainMs(rate: DispatchRate, ahead: number): number {
  return (ahead / Math.max(MIN_DISPATCHED, rate.dispatched)) * rate.seconds * 1000;
}
