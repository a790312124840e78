/** Delays between restarts of a process that keeps failing. */
export interface Backoff {
  /** Milliseconds to wait before the next start; doubles up to the maximum. */
  next(): number;
  /** The process has been well: start again from the minimum. */
  reset(): void;
}

export function createBackoff(minMs: number, maxMs: number): Backoff {
  let current = minMs;
  return {
    next() {
      const delay = current;
      current = Math.min(current * 2, maxMs);
      return delay;
    },
    reset() {
      current = minMs;
    },
  };
}
