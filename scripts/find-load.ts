/**
 * Finds the default load of scenarios: the rate at which `oracle` gains the throughput that AWS publishes over round robin,
 * and where there is no such figure or no such rate, the one at which round robin loads its slowest pod to 1.05 of what
 * it can finish. Prints a table; `--seeds` runs for each rate are paired. For arrivals in bursts it also gives the mean rate
 * at which the bursts alone load the pods so.
 *
 *   tsx scripts/find-load.ts [--seeds N] [--only-capacity] [SCENARIO…]
 */
import { parseArgs } from 'node:util';
import { executeTask } from '../runtime/simulator/run/execute-task';
import { SCENARIOS } from '../runtime/simulator/scenarios';
import type { Arrivals, Scenario } from '../runtime/simulator/scenarios/scenario';
import { capacityOf } from './fleet-capacity';

const SLOWEST_POD_LOAD = 1.05;
/** Width of the bracket at which the search ends, relative to the rate. */
const PRECISION = 0.01;

/** The mean rate in bursts over the mean rate. */
function burstFactor({ base, burst, burstSeconds, everySeconds }: Extract<Arrivals, { process: 'bursts' }>): number {
  const height = (burst.from + burst.to) / 2;
  return (height * everySeconds) / (base * (everySeconds - burstSeconds) + height * burstSeconds);
}

/** Mean gain of the oracle's throughput over round robin's, in per cent. */
async function gainAt(scenario: Scenario, ratePerSecond: number, seeds: number): Promise<number> {
  let sum = 0;
  for (let seed = 1; seed <= seeds; seed++) {
    const throughput = async (policy: string): Promise<number> => {
      const figures = await executeTask({ scenario: { ...scenario, ratePerSecond }, policy, seed });
      return figures.outputTokensPerSecond ?? Number.NaN;
    };
    sum += (await throughput('oracle')) / (await throughput('round-robin')) - 1;
  }
  const gain = (100 * sum) / seeds;
  console.error(`${scenario.name} at ${ratePerSecond.toFixed(2)} req/s: ${gain.toFixed(1)} %`);
  return gain;
}

/** Where the gain reaches `target` on the way to the fleet's capacity; undefined when even that is not enough. */
async function rateOfGain(
  scenario: Scenario,
  target: number,
  high: number,
  seeds: number,
): Promise<number | undefined> {
  if ((await gainAt(scenario, high, seeds)) < target) return undefined;
  let below = 0;
  let above = high;
  while (above - below > PRECISION * above) {
    const middle = (below + above) / 2;
    if ((await gainAt(scenario, middle, seeds)) < target) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      seeds: { type: 'string', default: '3' },
      'only-capacity': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds: expected a whole number from 1');
  const rows = [];
  for (const name of positionals.length > 0 ? positionals : SCENARIOS.keys()) {
    const scenario = SCENARIOS.get(name);
    if (scenario === undefined)
      throw new Error(`there is no scenario ${name}; there are ${[...SCENARIOS.keys()].join(', ')}`);
    const capacity = capacityOf(scenario);
    const target = scenario.aws?.throughput_pct ?? 0;
    const search = target > 0 && !values['only-capacity'];
    const ofGain = search ? await rateOfGain(scenario, target, capacity.fleet, seeds) : undefined;
    const loaded = SLOWEST_POD_LOAD * capacity.roundRobin;
    rows.push({
      scenario: name,
      now: scenario.ratePerSecond,
      'fleet can do': Number(capacity.fleet.toFixed(1)),
      'slowest pod at 1.05': Number(loaded.toFixed(1)),
      'in bursts':
        scenario.arrivals.process === 'bursts' ? Number((loaded / burstFactor(scenario.arrivals)).toFixed(1)) : '',
      'gain wanted, %': target > 0 ? target : '',
      'rate of the gain': search ? (ofGain?.toFixed(2) ?? 'not reached') : '',
    });
  }
  console.table(rows);
}

main().catch((error: Error) => {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
});
