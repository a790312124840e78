import { z } from 'zod';
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
  /** Attention's read of one KV token in one step. */
  readonly kvReadSecondsPerToken: number;
  /** Cost of reading a block again for each further sequence that shares it, relative to the first read: 0 (read once for all) to 1 (no gain). */
  readonly sharedReadCost: number;
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

const amount = z.number('expected a number').min(0, 'expected a number of 0 or more');
const count = z.int('expected a whole number').min(1, 'expected a whole number from 1');

/** The bounds of every parameter; unknown names are refused. */
export const ENGINE_PARAMETERS: z.ZodType<EngineParameters> = z.strictObject({
  stepOverheadSeconds: amount,
  prefillTokensPerSecond: z.number('expected a number').positive('must be above 0'),
  weightsFloorSeconds: amount,
  weightsFloorGrowthSeconds: amount,
  weightsFloorLimitSeconds: amount,
  kvReadSecondsPerToken: amount,
  sharedReadCost: amount.max(1, 'must be at most 1'),
  perSequenceSeconds: amount,
  kvTokens: z.number('expected a number').min(BLOCK_TOKENS, `expected at least ${BLOCK_TOKENS}`),
  maxNumSeqs: count,
  maxNumBatchedTokens: count,
  maxModelLen: count,
  maxLora: z.int('expected a whole number').min(0, 'expected a number of 0 or more'),
  adapterLoadSeconds: amount,
  frontEndSeconds: amount,
  frontEndSecondsPerToken: amount,
  stepSpread: amount.lt(1, 'must be below 1'),
});

/** The names of all parameters that break a bound, each with what is expected; empty when all is well. */
export function parameterFaults(parameters: EngineParameters): string[] {
  const { error } = ENGINE_PARAMETERS.safeParse(parameters);
  return (error?.issues ?? []).map(({ path, message }) => {
    const name = path.join('.');
    const value = parameters[name as keyof EngineParameters];
    return name === '' ? message : `${name}: ${message}, got ${value}`;
  });
}
