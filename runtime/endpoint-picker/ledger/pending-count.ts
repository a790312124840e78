/**
 * How many requests at an endpoint have no first token yet, from the engine's count of first tokens and the ledger's of
 * requests sent. Both count on forever; what they differ by is corrected whenever the engine's gauges show it wrong, as
 * when requests came by another way.
 */
export interface PendingCount {
  /** Of the last scrape: the engine's count of first tokens. NaN: none yet. */
  firstTokens: number;
  /** Requests sent that are thought to have no first token, at the last scrape, and the ledger's count then. */
  pending: number;
  started: number;
}

export function createPendingCount(): PendingCount {
  return { firstTokens: Number.NaN, pending: 0, started: 0 };
}

/** What a scrape told, and the ledger when it left. */
export interface PendingSighting {
  readonly firstTokens: number;
  readonly waiting: number;
  readonly running: number;
  readonly inFlight: number;
  /** Requests sent there, ever, less those given up before their first token. */
  readonly sent: number;
}

/** Requests without a first token when the scrape left. NaN where the engine tells too little. */
export function countPending(count: PendingCount, seen: PendingSighting): number {
  const notRunning = Math.max(seen.waiting, seen.inFlight - seen.running);
  const counted = count.pending + (seen.sent - count.started) - (seen.firstTokens - count.firstTokens);
  // Without a former count, or after a restart, those that do not run are all that is known.
  const known = seen.firstTokens >= count.firstTokens ? counted : notRunning;
  const possible = Math.min(Math.max(known, 0), seen.inFlight);
  count.firstTokens = seen.firstTokens;
  count.started = seen.sent;
  count.pending = Number.isNaN(possible) ? 0 : possible;
  // Those that were thrown out of the batch wait again and have their first token: not to be kept in the count.
  return Math.max(possible, Math.min(seen.waiting, seen.inFlight));
}
