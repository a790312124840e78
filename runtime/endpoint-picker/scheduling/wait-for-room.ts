import type { Candidates } from './candidates';
import type { ScoredRequest } from './scorer';

/**
 * An endpoint whose KV cache has no room for the rest of the prompt starts it only when others have ended: `startMs` is
 * then the time until those that wait there have started, where that is longer and known.
 */
export function waitForRoom(candidates: Candidates, request: ScoredRequest): void {
  const { count, startMs, queueMs, kvFreeTokens } = candidates;
  for (let i = 0; i < count; i++) {
    if (kvFreeTokens[i]! < uncachedTokens(candidates, request, i) && queueMs[i]! > startMs[i]!) startMs[i] = queueMs[i]!;
  }
}

/** Prompt tokens that candidate `row` has to compute. */
export function uncachedTokens({ matchedBlocks }: Candidates, request: ScoredRequest, row: number): number {
  return Math.max(0, request.promptTokens - Math.min(matchedBlocks[row]!, request.blocks) * request.blockTokens);
}
