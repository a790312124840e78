import type { Scorer } from '../scorer';
import { scoreFewestFirst } from './fewest-first';

/** Soonest expected start, by the backlog and the drain measured at each endpoint. */
export const predictedLatency: Scorer = (candidates, _request, scores) => {
  scoreFewestFirst(candidates.startMs, candidates.count, scores);
};
