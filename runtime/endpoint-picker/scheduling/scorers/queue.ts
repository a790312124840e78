import type { Scorer } from '../scorer';
import { scoreSoonestFirst } from './soonest-first';

/** Shortest queue, in time: the prompts ahead at the speed learned for the endpoint, and a place in its KV cache. */
export const queue: Scorer = ({ count, startMs }, _request, scores) => {
  for (let i = 0; i < count; i++) scores[i] = startMs[i]! / 1000;
  scoreSoonestFirst(scores, count, scores);
};
