import { BLOCK_TOKENS } from './types';

/** What one model server instance can do. Times are seconds, sizes are tokens unless named otherwise. */
export interface EngineParameters {
  /** Fixed cost of a step: scheduling, launch, sampling. */
  readonly stepOverheadSeconds: number;
  /** Prefill rate R with a full batch, tokens per second. */
  readonly prefillTokensPerSecond: number;
  /** Reading the weights once with one sequence in the batch. */
  readonly weightsFloorSeconds: number;
  /** Added to the floor for each further sequence (more experts touched); 0 for dense models. */
  readonly weightsFloorGrowthSeconds: number;
  /** The floor never exceeds this (all experts read). */
  readonly weightsFloorLimitSeconds: number;
  /** Attention's read of one KV token in one step; a block shared by several sequences is read once. */
  readonly kvReadSecondsPerToken: number;
  readonly perSequenceSeconds: number;
  /** KV cache of the instance, in tokens (rounded down to whole blocks). */
  readonly kvTokens: number;
  readonly maxNumSeqs: number;
  readonly maxNumBatchedTokens: number;
  /** Longest prompt plus output; never more than the KV cache holds. */
  readonly maxModelLen: number;
  /** Adapters that can be on the GPU at once; 0 turns LoRA off. */
  readonly maxLora: number;
  /** From the first need of an adapter until its slot is usable. */
  readonly adapterLoadSeconds: number;
  /** API front end, before the queue: fixed part and part per prompt token. */
  readonly frontEndSeconds: number;
  readonly frontEndSecondsPerToken: number;
  /** Relative half-width of the uniform spread of step times, 0..1. */
  readonly stepSpread: number;
}

const POSITIVE_INTEGERS = ['maxNumSeqs', 'maxNumBatchedTokens', 'maxModelLen'] as const;

/** The names of all parameters that break a bound, each with what is expected; empty when all is well. */
export function parameterFaults(parameters: EngineParameters): string[] {
  const faults: string[] = [];
  for (const [name, value] of Object.entries(parameters) as [keyof EngineParameters, number][]) {
    if (!Number.isFinite(value) || value < 0) faults.push(`${name}: expected a number of 0 or more, got ${value}`);
  }
  for (const name of POSITIVE_INTEGERS) {
    const value = parameters[name];
    if (!Number.isInteger(value) || value < 1) faults.push(`${name}: expected a whole number from 1, got ${value}`);
  }
  if (!Number.isInteger(parameters.maxLora)) {
    faults.push(`maxLora: expected a whole number, got ${parameters.maxLora}`);
  }
  if (parameters.kvTokens < BLOCK_TOKENS) faults.push(`kvTokens: expected at least ${BLOCK_TOKENS}`);
  if (parameters.prefillTokensPerSecond === 0) faults.push('prefillTokensPerSecond: must be above 0');
  if (parameters.stepSpread >= 1) faults.push('stepSpread: must be below 1');
  return faults;
}
