import { NEUTRAL, type Scorer } from '../scorer';

/** Differences far below this are not felt. Milliseconds. */
const GRAIN_MS = 50;

/**
 * Shortest queue, in time: the prompts ahead at the speed learned for the endpoint, and a place in its KV cache. The best
 * candidate has 1, one whose queue takes twice as long about half.
 */
export const queue: Scorer = ({ count, startMs }, _request, scores) => {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) if (startMs[i]! < least) least = startMs[i]!;
  for (let i = 0; i < count; i++) {
    const score = (least + GRAIN_MS) / (startMs[i]! + GRAIN_MS);
    scores[i] = Number.isNaN(score) ? NEUTRAL : score;
  }
};
