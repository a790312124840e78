import type { Candidates } from './candidates';

/**
 * A scorer writes, for each candidate, how good it is in one respect: 0 worst, 1 best. `scores` has room for every
 * candidate; rows from `candidates.count` on are not touched. A candidate whose signal is not known gets `NEUTRAL`.
 * A scorer keeps no state and reads no clock. To add one: a file in `scorers/` and a row in `weigh.ts`.
 */
export type Scorer = (candidates: Candidates, request: ScoredRequest, scores: Float64Array) => void;

export interface ScoredRequest {
  readonly promptTokens: number;
  /** Tokens that the answer is expected to have. */
  readonly outputTokens: number;
  readonly adapter?: string | undefined;
  /** Whole prompt blocks; 0 where the prompt is shorter than one. */
  readonly blocks: number;
  /** Prompt tokens in one block. */
  readonly blockTokens: number;
}

/** The score of a candidate that does not tell: neither ideal nor bad. */
export const NEUTRAL = 0.5;
