export interface Backoff {
  /** Milliseconds to wait before the next try. */
  next(): number;
  reset(): void;
}

/**
 * Delays from `minMs` to `maxMs` that double from try to try. Each is drawn from the upper half of its step, so that
 * those who lost the same server do not all come back at once. `random`: from 0 up to 1.
 */
export function createBackoff(minMs: number, maxMs: number, random: () => number): Backoff {
  const first = Math.min(2 * minMs, maxMs);
  let step = first;
  return {
    next() {
      const delay = step * (0.5 + random() / 2);
      step = Math.min(step * 2, maxMs);
      return delay;
    },
    reset() {
      step = first;
    },
  };
}
