import { NEUTRAL, type Scorer } from '../scorer';

/** Free share of the KV cache. */
export const kvCache: Scorer = (candidates, _request, scores) => {
  for (let i = 0; i < candidates.count; i++) {
    const usage = candidates.kvUsage[i]!;
    scores[i] = Number.isNaN(usage) ? NEUTRAL : 1 - Math.min(1, Math.max(0, usage));
  }
};
