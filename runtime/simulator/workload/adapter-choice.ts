import type { Scenario } from '../scenarios/scenario';
import { createWeightedChoice } from './distributions';

export interface AdapterChoice {
  /** By number. */
  readonly names: readonly string[];
  /** The number of each next request's adapter. */
  next(): number;
}

/** Adapters by their tiers' shares, named `adapter-0`, `adapter-1` … in the order of tiers. */
export function createAdapterChoice({ tiers }: NonNullable<Scenario['adapters']>, random: () => number): AdapterChoice {
  const weights = tiers.flatMap(({ adapters, share }) => new Array<number>(adapters).fill(share / adapters));
  return { names: weights.map((_, index) => `adapter-${index}`), next: createWeightedChoice(weights, random) };
}
