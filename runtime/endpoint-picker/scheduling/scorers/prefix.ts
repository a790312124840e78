import type { Candidates } from '../candidates';
import type { Scorer } from '../scorer';

/** A match of this many tokens is worth half of what an endless one is. */
const HALF_VALUE_TOKENS = 512;

/**
 * The longest known prefix. What a cached block saves is prefill time, so the score grows with the tokens matched, and
 * the share of the prompt decides only half of it: a short prompt that matches whole does not outweigh a queue.
 *
 * Work that an endpoint has in flight above the least busy candidate is taken from the tokens matched, token for token:
 * once waiting costs as much as the cache saves, the prefix counts for nothing there, and another endpoint gets it too.
 */
export const prefix: Scorer = (candidates, request, scores) => {
  const leastWork = leastWorkTokens(candidates);
  for (let i = 0; i < candidates.count; i++) {
    const matched = Math.min(candidates.matchedBlocks[i]!, request.blocks);
    const tokens = matched * request.blockTokens - (candidates.workTokens[i]! - leastWork);
    if (!(tokens > 0)) {
      scores[i] = 0;
      continue;
    }
    const share = tokens / (request.blocks * request.blockTokens);
    scores[i] = (tokens / (tokens + HALF_VALUE_TOKENS)) * (0.5 + 0.5 * share);
  }
};

function leastWorkTokens({ count, workTokens }: Candidates): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) if (workTokens[i]! < least) least = workTokens[i]!;
  return least;
}
