const LEAST_LIMIT_MS = 2000;
const LIMIT_INTERVALS = 3;

/**
 * Until when metrics that came at `answeredAt` are fresh. They are stale when no scrape was answered for the longer of
 * 2 s and three scrape intervals. Milliseconds.
 */
export function freshUntil(answeredAt: number, intervalMs: number): number {
  return answeredAt + Math.max(LEAST_LIMIT_MS, LIMIT_INTERVALS * intervalMs);
}
