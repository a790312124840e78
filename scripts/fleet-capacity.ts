import { ENGINE_PROFILES } from '../runtime/simulator/engine/profiles';
import { seededRandom } from '../runtime/simulator/engine/seeded-random';
import type { Scenario } from '../runtime/simulator/scenarios/scenario';
import { generateWorkload } from '../runtime/simulator/workload/generate';
import { saturatedRate } from './saturated-rate';

export interface Capacity {
  /** Requests per second of the whole fleet, pods to be added included. */
  readonly fleet: number;
  /** Of the slowest pod, times the number of pods: what round robin can carry. */
  readonly roundRobin: number;
}

/** What a fleet can finish of its scenario's mix. */
export function capacityOf(scenario: Scenario): Capacity {
  const rates = scenario.fleet.flatMap(({ profile, pods, overrides }) => {
    const parameters = { ...ENGINE_PROFILES[profile].parameters, ...overrides };
    const rate = saturatedRate(parameters, generateWorkload(scenario, { random: seededRandom(1) }), seededRandom(2));
    return new Array<number>(pods).fill(rate);
  });
  return { fleet: rates.reduce((sum, rate) => sum + rate, 0), roundRobin: Math.min(...rates) * rates.length };
}
