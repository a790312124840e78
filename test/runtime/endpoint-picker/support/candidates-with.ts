import { type Candidates, createCandidates } from '../../../../runtime/endpoint-picker/scheduling/candidates';
import type { ScoredRequest } from '../../../../runtime/endpoint-picker/scheduling/scorer';
import { weigh, weightedScorers } from '../../../../runtime/endpoint-picker/scheduling/weigh';
import { NO_WEIGHTS } from './fixtures';

export type Column = { [K in keyof Candidates]: Candidates[K] extends Float64Array ? K : never }[keyof Candidates];

/** Candidates of which nothing but these columns is other than 0; their number is that of the longest column. */
export function candidatesWith(columns: Partial<Record<Column, readonly number[]>>, atLeast = 0): Candidates {
  const count = Math.max(atLeast, ...Object.values(columns).map(({ length }) => length));
  const candidates = createCandidates(count);
  candidates.count = count;
  for (const [name, values] of Object.entries(columns)) candidates[name as Column].set(values);
  return candidates;
}

export function scoredRequest(change: Partial<ScoredRequest> = {}): ScoredRequest {
  return { promptTokens: 0, outputTokens: 0, blocks: 0, blockTokens: 64, ...change };
}

/** What one scorer alone gives the candidates. */
export function scoresOf(
  name: keyof typeof NO_WEIGHTS,
  candidates: Candidates,
  request: Partial<ScoredRequest> = {},
): number[] {
  const totals = new Float64Array(candidates.capacity);
  weigh(weightedScorers({ ...NO_WEIGHTS, [name]: 1 }, candidates.capacity), candidates, scoredRequest(request), totals);
  return [...totals];
}
