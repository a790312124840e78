import { NEUTRAL, type Scorer } from '../scorer';

/**
 * Spreads prompts that no endpoint holds: the endpoint that least recently got one has 1, the latest 0. A prompt that
 * some endpoint holds is neutral. (`no-hit-lru-scorer` of the Gateway API Inference Extension.)
 */
export const lru: Scorer = (candidates, _request, scores) => {
  const { count, lastColdPick } = candidates;
  if (someoneHolds(candidates.matchedBlocks, count) || count < 2) {
    scores.fill(NEUTRAL, 0, count);
    return;
  }
  const order = lastColdPick.slice(0, count).sort();
  for (let i = 0; i < count; i++) scores[i] = 1 - rank(order, lastColdPick[i]!) / (count - 1);
};

function someoneHolds(matchedBlocks: Float64Array, count: number): boolean {
  for (let i = 0; i < count; i++) if (matchedBlocks[i]! > 0) return true;
  return false;
}

/** How many of the sorted values are below `value`. */
function rank(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
