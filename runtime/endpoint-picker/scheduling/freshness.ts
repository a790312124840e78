const LEAST_LIMIT_MS = 2000;
const LIMIT_INTERVALS = 3;

/** Metrics are stale when no scrape was answered for the longer of 2 s and three scrape intervals. Milliseconds. */
export function isFresh(now: number, answeredAt: number, intervalMs: number): boolean {
  return now - answeredAt <= Math.max(LEAST_LIMIT_MS, LIMIT_INTERVALS * intervalMs);
}
