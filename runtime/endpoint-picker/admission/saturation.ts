import type { OverloadState } from '../../../lib/translate/gateway-state';

/**
 * Milliseconds by which the soonest start is above the allowed queue time; 0 when some endpoint can start the request
 * in time. An endpoint whose expected start is not known (NaN) counts as one that can: nothing is shed by guess.
 */
export function overloadMs(startMs: Float64Array, count: number, maxQueueTimeMs: number): number {
  let soonest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const start = startMs[i]!;
    if (!(start > maxQueueTimeMs)) return 0;
    if (start < soonest) soonest = start;
  }
  return count === 0 ? 0 : soonest - maxQueueTimeMs;
}

/** Whole seconds until the backlog has drained to what is allowed, within the configured bounds; at least 1. */
export function retryAfterSeconds(excessMs: number, overload: OverloadState): number {
  const drained = Math.ceil(excessMs / 1000);
  return Math.max(1, overload.retryAfterMinSeconds, Math.min(drained, overload.retryAfterMaxSeconds));
}
