import { uncachedTokens } from '../request-size';
import type { Scorer } from '../scorer';
import { scoreSoonestFirst } from './soonest-first';

/** A prompt that is computed delays others and displaces cached blocks: its time counts this many times. */
const PROMPT_PRICE = 2;

/** The first token is waited for, the rest is read: the time of the answer counts by this part. */
const ANSWER_PRICE = 0.05;

/**
 * Soonest first token: the wait for the prompts ahead, the uncached rest of this one at the speed learned for the
 * endpoint, a step, and an adapter's load. Then the answer: its own steps, and what it adds to the steps of the others.
 */
export const predictedLatency: Scorer = (candidates, request, scores) => {
  const { count, startMs, matchedBlocks, tokenSeconds, stepSeconds, sequenceSeconds, adapterSeconds, inFlight } =
    candidates;
  const steps = 1 + request.outputTokens * ANSWER_PRICE;
  for (let i = 0; i < count; i++) {
    const prompt = uncachedTokens(request, matchedBlocks[i]!) * tokenSeconds[i]! * PROMPT_PRICE;
    const step = stepSeconds[i]! + sequenceSeconds[i]! * (2 * inFlight[i]! + 1);
    scores[i] = startMs[i]! / 1000 + prompt + steps * step + adapterSeconds[i]!;
  }
  scoreSoonestFirst(scores, count, scores);
};
