import type { ScrapeInterval } from '../fleet/policy';
import type { Scenario } from '../scenarios/scenario';
import type { EngineScale } from './engine-scale';

/** One run to be made, as plain data that can be sent to another process. */
export interface RunTask {
  /** Its `ratePerSecond` is the rate of this run. */
  readonly scenario: Scenario;
  /** Name in `POLICIES`. */
  readonly policy: string;
  readonly seed: number;
  /** In place of the policy's own. */
  readonly scrapeInterval?: ScrapeInterval;
  readonly scale?: EngineScale;
  /** A file whose requests come in place of the scenario's, and their own rate, so that no run has to find it. */
  readonly trace?: { readonly path: string; readonly ratePerSecond: number };
}

/** The task in words, for error messages. */
export function describeTask({ scenario, policy, seed }: RunTask): string {
  return `${scenario.name} at ${scenario.ratePerSecond} req/s, ${policy}, seed ${seed}`;
}
