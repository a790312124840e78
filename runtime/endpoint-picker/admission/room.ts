import type { Band } from '../../../lib/translate/gateway-state';
import type { Candidates } from '../scheduling/candidates';
import { uncachedTokens } from '../scheduling/request-size';
import type { ScoredRequest } from '../scheduling/scorer';

/** What an endpoint must have left for a request that is not to queue there. */
export interface RoomLimits {
  /** Its prompt begins to be computed within this time. Milliseconds. */
  readonly startMs: number;
  /** With the request's tokens no more than this share of the KV cache is taken. 0..1. */
  readonly kvShare: number;
}

/**
 * The room that each band may use. What is held back from the lower ones is there at once when a request of a higher one
 * comes: it never finds the fleet full of them.
 */
export const ROOM: Readonly<Record<Band, RoomLimits>> = {
  critical: { startMs: 400, kvShare: 0.95 },
  standard: { startMs: 100, kvShare: 0.8 },
  sheddable: { startMs: 50, kvShare: 0.7 },
};

/**
 * Whether candidate `row` has room for the request. What an engine does not tell (NaN) keeps nothing away: by the ledger
 * alone nobody can say that it is full.
 */
export function hasRoom(candidates: Candidates, row: number, request: ScoredRequest, limits: RoomLimits): boolean {
  if (candidates.startMs[row]! > limits.startMs) return false;
  const free = candidates.kvFreeTokens[row]!;
  const usage = candidates.kvUsage[row]!;
  if (Number.isNaN(free) || Number.isNaN(usage)) return true;
  // A full batch is told as minus infinity.
  const capacity = free / (1 - usage);
  const needed = uncachedTokens(request, candidates.matchedBlocks[row]!) + request.outputTokens;
  return free > 0 && usage + needed / capacity <= limits.kvShare;
}
