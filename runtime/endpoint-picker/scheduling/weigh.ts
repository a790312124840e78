import type { ScorerWeights } from '../../../lib/translate/gateway-state';
import type { Candidates } from './candidates';
import type { ScoredRequest, Scorer } from './scorer';
import { kvCache } from './scorers/kv-cache';
import { loraAffinity } from './scorers/lora-affinity';
import { lru } from './scorers/lru';
import { predictedLatency } from './scorers/predicted-latency';
import { prefix } from './scorers/prefix';
import { queue } from './scorers/queue';
import { runningRequests } from './scorers/running-requests';

const SCORERS: Readonly<Record<keyof ScorerWeights, Scorer>> = {
  queue,
  kvCache,
  prefix,
  lru,
  loraAffinity,
  runningRequests,
  predictedLatency,
};

/** A scorer in use, with the scores it gave last. */
export interface WeightedScorer {
  readonly name: keyof ScorerWeights;
  readonly weight: number;
  readonly score: Scorer;
  readonly scores: Float64Array;
}

/** The scorers of weight above 0, with room for `capacity` candidates. */
export function weightedScorers(weights: ScorerWeights, capacity: number): WeightedScorer[] {
  return (Object.keys(SCORERS) as Array<keyof ScorerWeights>)
    .filter((name) => weights[name] > 0)
    .map((name) => ({ name, weight: weights[name], score: SCORERS[name], scores: new Float64Array(capacity) }));
}

/** Writes into `totals` the weighted sum of the scores of each candidate. Weights are not normalised. */
export function weigh(
  scorers: readonly WeightedScorer[],
  candidates: Candidates,
  request: ScoredRequest,
  totals: Float64Array,
): void {
  totals.fill(0, 0, candidates.count);
  for (const { weight, score, scores } of scorers) {
    score(candidates, request, scores);
    for (let i = 0; i < candidates.count; i++) totals[i]! += weight * scores[i]!;
  }
}
