import { type Drain, drainPerSecond } from './drain';

/**
 * Milliseconds until a request sent now would start, by the requests ahead of it and the measured drain; NaN: not known.
 *
 * An endpoint whose last scrape showed nobody waiting starts the request at once, however much was dispatched since:
 * only the next scrape can tell whether the batch took it. `waiting` is NaN where there is no fresh metric; then the
 * requests above the batch size seen earlier are those ahead.
 */
export function expectedStartMs(waiting: number, inFlight: number, inFlightAtScrape: number, drain: Drain): number {
  const ahead = requestsAhead(waiting, inFlight, inFlightAtScrape, drain.slots);
  return ahead === 0 ? 0 : (ahead / drainPerSecond(drain)) * 1000;
}

function requestsAhead(waiting: number, inFlight: number, inFlightAtScrape: number, slots: number): number {
  if (Number.isNaN(waiting)) return Math.max(0, inFlight - slots);
  return waiting > 0 ? Math.max(0, waiting + inFlight - inFlightAtScrape) : 0;
}
