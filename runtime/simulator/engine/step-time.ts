import type { EngineParameters } from './parameters';

/** The work in one engine step. */
export interface StepWork {
  readonly prefillTokens: number;
  /** KV tokens that attention reads, shared ones counted as `kvReadTokens` does. */
  readonly kvReadTokens: number;
  readonly sequences: number;
}

/** Mean duration of a step in seconds: fixed overhead + the larger of compute and weight reads + KV reads + per sequence. */
export function stepSeconds(parameters: EngineParameters, work: StepWork): number {
  const floor = Math.min(
    parameters.weightsFloorLimitSeconds,
    parameters.weightsFloorSeconds + parameters.weightsFloorGrowthSeconds * (work.sequences - 1),
  );
  return (
    parameters.stepOverheadSeconds +
    Math.max(floor, work.prefillTokens / parameters.prefillTokensPerSecond) +
    work.kvReadTokens * parameters.kvReadSecondsPerToken +
    work.sequences * parameters.perSequenceSeconds
  );
}
