import type { EngineParameters } from '../engine/parameters';

/** Factors on all engines of a fleet, to see whether a conclusion hangs on a parameter; 1 leaves it as it is. */
export interface EngineScale {
  /** Prefill tokens per second. */
  readonly prefill: number;
  /** Speed of a decode step: its times are divided by this. */
  readonly decode: number;
  /** Tokens that the KV cache holds. */
  readonly kv: number;
}

export function scaleEngine(parameters: EngineParameters, { prefill, decode, kv }: EngineScale): EngineParameters {
  return {
    ...parameters,
    prefillTokensPerSecond: parameters.prefillTokensPerSecond * prefill,
    stepOverheadSeconds: parameters.stepOverheadSeconds / decode,
    weightsFloorSeconds: parameters.weightsFloorSeconds / decode,
    weightsFloorGrowthSeconds: parameters.weightsFloorGrowthSeconds / decode,
    weightsFloorLimitSeconds: parameters.weightsFloorLimitSeconds / decode,
    kvReadSecondsPerToken: parameters.kvReadSecondsPerToken / decode,
    perSequenceSeconds: parameters.perSequenceSeconds / decode,
    kvTokens: Math.floor(parameters.kvTokens * kv),
  };
}
