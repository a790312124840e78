import type { CompleteWeights } from '../../../lib/api/inference-gateway-config/scorer-weights';
import { seededRandom } from '../engine/seeded-random';
import type { RequestList } from '../workload/request-list';
import { blockTail, type Tail, type TunedFleet } from './block-tail';
import { type Comparison, compareTails } from './compare-tails';
import { searchWeights, type WeightName } from './search-weights';
import { type TraceBlocks, traceBlocks } from './trace-blocks';

export interface TuneOptions extends TunedFleet {
  readonly requests: RequestList;
  /** The weights to do better than. */
  readonly present: CompleteWeights;
  /** Sets of weights that are tried at most, at least 1. */
  readonly trials: number;
  readonly seed: number;
}

/** Where the search is; the comparison comes last, unless nothing better than the present weights was found. */
export interface TuneStep {
  readonly trial: number;
  readonly weights: CompleteWeights;
  readonly comparison?: Comparison;
}

/**
 * Searches weights on every second part of the trace and measures what was found on the parts held out. Gives a step
 * after each trial, so that the caller may tell of it. Throws at once when the trace is too short.
 */
export function tune(options: TuneOptions): Generator<TuneStep> {
  return steps(options, traceBlocks(options.requests));
}

function* steps(options: TuneOptions, { search, heldOut }: TraceBlocks): Generator<TuneStep> {
  const { requests, present, trials, seed } = options;
  // A seed for each block, the same for all weights: pairs differ by their weights alone.
  const tails = (blocks: typeof search, weights: CompleteWeights): Tail[] =>
    blocks.map((block, index) => blockTail(options, block, weights, seed + index));
  let last: TuneStep = { trial: 0, weights: present };
  for (const { trial, best } of searchWeights({
    start: present,
    names: tunableWeights(present, requests),
    evaluate: (weights) => meanLogTail(tails(search, weights)),
    trials,
    random: seededRandom(seed),
  })) {
    last = { trial, weights: best };
    yield last;
  }
  if (last.weights === present) return;
  yield { ...last, comparison: compareTails(tails(heldOut, present), tails(heldOut, last.weights)) };
}

function meanLogTail(tails: readonly Tail[]): number {
  return tails.reduce((sum, { p95, p99 }) => sum + (Math.log(p95) + Math.log(p99)) / 2, 0) / tails.length;
}

/** `lru` is of one kind of scheduler only, so it stays off unless it is in use; adapters need requests that name one. */
function tunableWeights(present: CompleteWeights, requests: RequestList): WeightName[] {
  const adapters = namesAdapter(requests);
  return (Object.keys(present) as WeightName[]).filter(
    (name) => (name !== 'lru' || present.lru > 0) && (name !== 'loraAffinity' || adapters),
  );
}

function namesAdapter(requests: RequestList): boolean {
  for (const { adapter } of requests) if (adapter !== undefined) return true;
  return false;
}
