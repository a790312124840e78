import type { Candidates } from './candidates';
import {
  type ExplainedCandidate,
  type Explanation,
  type LeftOut,
  MOST_CANDIDATES,
  type ScorerName,
} from './explanation';
import { predictedTtftMs } from './predicted-ttft';
import type { ScoredRequest } from './scorer';
import type { WeightedScorer } from './weigh';

/** A decision that was just made, as it lies in the pool's columns. */
export interface Weighed {
  readonly candidates: Candidates;
  readonly request: ScoredRequest;
  readonly totals: Float64Array;
  readonly scorers: readonly WeightedScorer[];
  /** Rows of the choice and its fallbacks, best first; at least one. */
  readonly chosen: Int32Array;
  /** Who stands in a row. */
  endpoint(row: number): { readonly pod: string; readonly address: string };
  readonly leftOut: readonly LeftOut[];
}

/** What was decided and why. It costs far more than the decision. */
export function explain(weighed: Weighed): Explanation {
  const { candidates, request, scorers, leftOut } = weighed;
  const rows = rowsInOrder(weighed);
  const explained = rows.slice(0, MOST_CANDIDATES).map((row) => candidate(weighed, row));
  const [winner, next] = explained;
  return {
    candidates: explained,
    moreCandidates: candidates.count - explained.length,
    leftOut: leftOut.slice(0, MOST_CANDIDATES),
    moreLeftOut: Math.max(0, leftOut.length - MOST_CANDIDATES),
    weights: byName(scorers, ({ weight }) => weight),
    winner: winner!.pod,
    ...(next !== undefined && { runnerUp: { pod: next.pod, by: rounded(winner!.total - next.total) } }),
    promptBlocks: request.blocks,
  };
}

function rowsInOrder({ candidates, totals, chosen }: Weighed): number[] {
  const first = [...chosen];
  const others: number[] = [];
  for (let row = 0; row < candidates.count; row++) if (!first.includes(row)) others.push(row);
  return [...first, ...others.sort((a, b) => totals[b]! - totals[a]!)];
}

function candidate({ candidates, request, totals, scorers, endpoint }: Weighed, row: number): ExplainedCandidate {
  const { pod, address } = endpoint(row);
  const ttft = predictedTtftMs(candidates, request, row);
  return {
    pod,
    address,
    total: rounded(totals[row]!),
    scores: byName(scorers, ({ scores }) => rounded(scores[row]!)),
    matchedBlocks: candidates.matchedBlocks[row]!,
    ...(Number.isFinite(ttft) && { predictedTtftMs: rounded(ttft) }),
  };
}

function byName(
  scorers: readonly WeightedScorer[],
  value: (scorer: WeightedScorer) => number,
): Partial<Record<ScorerName, number>> {
  return Object.fromEntries(scorers.map((scorer) => [scorer.name, value(scorer)]));
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
