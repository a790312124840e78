import type { Scorer } from '../scorer';
import { scoreFewestFirst } from './fewest-first';

/** Fewest requests in the batch. */
export const runningRequests: Scorer = (candidates, _request, scores) => {
  scoreFewestFirst(candidates.running, candidates.count, scores);
};
