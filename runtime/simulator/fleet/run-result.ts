import type { Band } from '../../../lib/translate/gateway-state';

/** What one simulated run measured: one scenario, policy, rate and seed. Times in seconds. */
export interface RunResult {
  /** Requests that arrived after warm-up; the figures are of these. */
  readonly requests: number;
  /** Of those: refused by the policy (429), at once or after a wait, and lost with their pod or rejected by the engine. */
  readonly refused: number;
  readonly errors: number;
  /** Sorted times to first token of the answered ones, from their arrival at the gateway. */
  readonly firstTokenSeconds: Float64Array;
  /** Mean over tokens, the first of each answer left out. */
  readonly interTokenMeanSeconds: number;
  /** Generated tokens of the whole run per second from the first arrival to the last end, as load generators count. */
  readonly outputTokensPerSecond: number;
  /** Answers whose first token came within the scenario's limit, per second of arrivals after warm-up. */
  readonly goodputPerSecond: number;
  /** Prompt tokens found in engines' caches over prompt tokens of the answered. 0..1. */
  readonly prefixHitRate: number;
  readonly preemptions: number;
  /** Requests that each pod was given, by number. */
  readonly requestsByPod: readonly number[];
  /** The bands that requests came in, apart. */
  readonly bands: ReadonlyMap<Band, BandResult>;
}

/** Of the requests of one band that arrived after warm-up. */
export interface BandResult {
  readonly requests: number;
  /** At once, and after they had waited as long as they may. */
  readonly refused: number;
  readonly expired: number;
  readonly errors: number;
  /** Sorted. */
  readonly firstTokenSeconds: Float64Array;
  readonly goodputPerSecond: number;
}
