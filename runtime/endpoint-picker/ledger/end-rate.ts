/** Requests that end at an endpoint, per second, over the last time. NaN before the first. */
export interface EndRate {
  perSecond: number;
}

/** Seconds after which an observation has lost about two thirds of its weight. */
const MEMORY_SECONDS = 20;

export function createEndRate(): EndRate {
  return { perSecond: Number.NaN };
}

/** Folds in `ended` requests in `seconds`. */
export function observeEnds(rate: EndRate, seconds: number, ended: number): void {
  if (!(seconds > 0)) return;
  const before = Number.isNaN(rate.perSecond) ? ended / seconds : rate.perSecond;
  rate.perSecond = before + (1 - Math.exp(-seconds / MEMORY_SECONDS)) * (ended / seconds - before);
}
