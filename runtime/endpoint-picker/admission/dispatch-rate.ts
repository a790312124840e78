/**
 * How fast requests that wait are let go, as a fading mean over the time in which some waited. Time without a queue says
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

/** A rate from fewer is chance. */
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

/** Milliseconds until `ahead` waiting requests are let go; 0 while the rate is not known. */
export function drainMs(rate: DispatchRate, ahead: number): number {
  if (rate.dispatched < MIN_DISPATCHED || rate.seconds <= 0) return 0;
  return (ahead / (rate.dispatched / rate.seconds)) * 1000;
}
