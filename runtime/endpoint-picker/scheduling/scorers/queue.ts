import type { Scorer } from '../scorer';
import { scoreFewestFirst } from './fewest-first';

/** Fewest requests waiting. */
export const queue: Scorer = (candidates, _request, scores) => {
  scoreFewestFirst(candidates.queue, candidates.count, scores);
};
