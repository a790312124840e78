import type { Arrivals } from '../scenarios/scenario';
import { createGamma, exponential } from './distributions';

/** Streams of chance; that of the bursts' heights is its own, so that they are the same at every rate. */
export interface ArrivalStreams {
  readonly gaps: () => number;
  readonly bursts: () => number;
}

/** Gives the time of each next arrival in seconds from 0, at `ratePerSecond` on average. */
export function createArrivals(arrivals: Arrivals, ratePerSecond: number, streams: ArrivalStreams): () => number {
  if (arrivals.process === 'bursts') return createBursts(arrivals, ratePerSecond, streams);
  const gap = arrivals.process === 'gamma' ? createGamma(arrivals.cv, streams.gaps) : () => exponential(streams.gaps);
  let at = 0;
  return () => {
    at += gap() / ratePerSecond;
    return at;
  };
}

type Bursts = Extract<Arrivals, { process: 'bursts' }>;

function createBursts(arrivals: Bursts, ratePerSecond: number, { gaps, bursts }: ArrivalStreams): () => number {
  const { base, burst, burstSeconds, everySeconds } = arrivals;
  const calmSeconds = everySeconds - burstSeconds;
  const mean = (base * calmSeconds + ((burst.from + burst.to) / 2) * burstSeconds) / everySeconds;
  const scale = ratePerSecond / mean;
  let at = 0;
  /** Even spans are calm, odd ones are bursts. */
  let span = 0;
  let rate = base * scale;
  let spanEnd = calmSeconds;

  function enterNextSpan(): void {
    at = Math.max(at, spanEnd);
    span += 1;
    const inBurst = span % 2 === 1;
    rate = scale * (inBurst ? burst.from + bursts() * (burst.to - burst.from) : base);
    spanEnd = Math.floor(span / 2) * everySeconds + (inBurst ? everySeconds : calmSeconds);
  }
  return () => {
    let expected = exponential(gaps);
    for (let here = rate * (spanEnd - at); expected >= here; here = rate * (spanEnd - at)) {
      expected -= here;
      enterNextSpan();
    }
    at += expected / rate;
    return at;
  };
}
