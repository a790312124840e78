import type { Band, ScorerWeights } from '../../../lib/translate/gateway-state';

export type ScorerName = keyof ScorerWeights;

/**
 * One decision in full. Plain data, which crosses processes as JSON; every string is a name from the configuration, an
 * address from it, or of a closed set. Numbers are rounded to four decimals.
 */
export interface Explanation {
  /** The endpoint chosen and its fallbacks in order, then the others by total; the first `MOST_CANDIDATES`. */
  readonly candidates: readonly ExplainedCandidate[];
  /** Candidates that are not among them. */
  readonly moreCandidates: number;
  /** Endpoints of the pool that could not be chosen; the first `MOST_CANDIDATES`. */
  readonly leftOut: readonly LeftOut[];
  readonly moreLeftOut: number;
  /** The scorers in use, each with its weight; a total is the sum of the scores times these. */
  readonly weights: Readonly<Partial<Record<ScorerName, number>>>;
  /** `namespace/name` of the pod. */
  readonly winner: string;
  /**
   * Who comes next, and by how much less in total. `by` may be 0 or below: among totals within 2 % of the best, the
   * endpoint with less in flight comes first.
   */
  readonly runnerUp?: { readonly pod: string; readonly by: number };
  /** Whole blocks in the prompt. */
  readonly promptBlocks: number;
  /** How long the request was held before the decision, and in which band. */
  readonly held?: { readonly ms: number; readonly band: Band };
}

export interface ExplainedCandidate {
  /** `namespace/name`. */
  readonly pod: string;
  /** `ip:port`. */
  readonly address: string;
  readonly total: number;
  /** 0 worst, 1 best. */
  readonly scores: Readonly<Partial<Record<ScorerName, number>>>;
  /** Leading blocks of the prompt that it is held to have cached. */
  readonly matchedBlocks: number;
  /** Milliseconds to the first token, as the picker expects; absent where that is not known. */
  readonly predictedTtftMs?: number;
}

/**
 * Why an endpoint is no candidate.
 *
 * `not-ready`: its pod is not ready, or is terminating. `stale`: no scrape was answered lately. `no-room`: the request
 * would have to queue there. `not-in-subset`: the request may go to others alone. `failing`: requests or scrapes have failed
 * there lately. `ramping`: it is new, or has come back, and gets only a part of its share as yet.
 */
export type LeftOutReason = 'not-ready' | 'stale' | 'no-room' | 'not-in-subset' | 'failing' | 'ramping';

export interface LeftOut {
  readonly pod: string;
  readonly address: string;
  readonly reason: LeftOutReason;
}

/** Candidates, and endpoints left out, that an explanation lists. */
export const MOST_CANDIDATES = 16;
