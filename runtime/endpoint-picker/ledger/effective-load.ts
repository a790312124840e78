/**
 * A scrape is old the moment it arrives. These functions bring its numbers up to date with what the ledger has seen
 * since, so that requests picked between two scrapes do not all go to the endpoint that looked best in the last one.
 *
 * `inFlightAtScrape` is the ledger's count when the scrape was sent: its difference to the count now is what was
 * dispatched since then less what ended since then.
 */

/**
 * Requests that wait at the endpoint, by the last scrape and the ledger. Requests of the ledger that the endpoint did
 * not show at all (its counters follow its steps) count as waiting. Without a metric, the ledger's count stands in.
 */
export function effectiveQueue(waiting: number, running: number, inFlight: number, inFlightAtScrape: number): number {
  if (Number.isNaN(waiting)) return inFlight;
  const queue = Math.max(0, waiting + inFlight - inFlightAtScrape);
  if (Number.isNaN(running)) return queue;
  return Math.max(queue, inFlight - effectiveRunning(waiting, running, inFlight, inFlightAtScrape));
}

/** Requests in the batch, by the last scrape and the ledger. A place that came free is filled from the queue first. */
export function effectiveRunning(waiting: number, running: number, inFlight: number, inFlightAtScrape: number): number {
  if (Number.isNaN(running)) return inFlight;
  const since = inFlight - inFlightAtScrape;
  if (since >= 0) return running + since;
  const queued = Number.isNaN(waiting) ? 0 : waiting;
  return Math.max(0, running + Math.min(0, queued + since));
}
