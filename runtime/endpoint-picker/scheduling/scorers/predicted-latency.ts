import type { Scorer } from '../scorer';
import { uncachedTokens } from '../wait-for-room';

/** Differences far below this are not felt. Seconds. */
const GRAIN_SECONDS = 0.05;

/** A prompt that is computed delays others and displaces cached blocks: its time counts this many times. */
const PROMPT_PRICE = 2;

/**
 * Soonest first token: the wait for the prompts ahead, the uncached rest of this one at the speed learned for the
 * endpoint, and a step. The best candidate has 1, one that takes twice as long about half.
 */
export const predictedLatency: Scorer = (candidates, request, scores) => {
  const { count, startMs, tokenSeconds, stepSeconds, adapterSeconds } = candidates;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    const prompt = uncachedTokens(candidates, request, i) * tokenSeconds[i]! * PROMPT_PRICE;
    const seconds = startMs[i]! / 1000 + prompt + stepSeconds[i]! + adapterSeconds[i]!;
    scores[i] = seconds;
    if (seconds < least) least = seconds;
  }
  for (let i = 0; i < count; i++) scores[i] = (least + GRAIN_SECONDS) / (scores[i]! + GRAIN_SECONDS);
};
