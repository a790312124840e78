/**
 * A scrape is old the moment it arrives. These functions bring its numbers up to date with what the ledger has seen
 * since, so that requests picked between two scrapes do not all go to the endpoint that looked best in the last one.
 *
 * `inFlightAtScrape` is the ledger's count when the scrape was sent: its difference to the count now is what was
 * dispatched since then less what ended since then.
 */

/** Requests that wait at the endpoint, by the last scrape and the ledger. Without a metric, the ledger's count. */
export function effectiveQueue(waiting: number, running: number, inFlight: number, inFlightAtScrape: number): number {
  if (Number.isNaN(waiting)) return inFlight;
  return Math.max(0, queuedAtScrape(waiting, running, inFlightAtScrape) + inFlight - inFlightAtScrape);
}

/** Requests in the batch, by the last scrape and the ledger. A place that came free is filled from the queue first. */
export function effectiveRunning(waiting: number, running: number, inFlight: number, inFlightAtScrape: number): number {
  if (Number.isNaN(running)) return inFlight;
  const since = inFlight - inFlightAtScrape;
  if (since >= 0) return running + since;
  const queued = Number.isNaN(waiting) ? 0 : queuedAtScrape(waiting, running, inFlightAtScrape);
  return Math.max(0, running + Math.min(0, queued + since));
}

/**
 * An engine's counters follow its steps, so requests on their way into it are not in them: what the ledger had there
 * beyond them was waiting.
 */
function queuedAtScrape(waiting: number, running: number, inFlightAtScrape: number): number {
  return Number.isNaN(running) ? waiting : Math.max(waiting, inFlightAtScrape - running);
}
