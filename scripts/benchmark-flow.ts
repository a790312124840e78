/**
 * Prints the tables of docs/benchmarks.md about flow control, as Markdown: simulated fleets at 0.8 of their capacity and at
 * twice it, Critical at 0.3 of it at both. A fleet's capacity is what its pods finish while there is always another
 * request waiting.
 */
import { Command } from 'commander';
import { runFleet } from '../runtime/simulator/fleet/run-fleet';
import { POLICIES } from '../runtime/simulator/policies';
import { figuresOf } from '../runtime/simulator/report/run-figures';
import { optionList, optionNames } from '../runtime/simulator/run/option-list';
import { readSeeds } from '../runtime/simulator/run/order';
import { scenarioRun } from '../runtime/simulator/run/scenario-run';
import type { Scenario } from '../runtime/simulator/scenarios/scenario';
import { FLEETS } from './benchmark-flow/fleets';
import { bandLoad, tenantLoad } from './benchmark-flow/loads';
import { watched } from './benchmark-flow/probe';
import { bandTable, checkTable, criticalTable, type FleetRuns, type FlowRun } from './benchmark-flow/tables';
import { capacityOf } from './fleet-capacity';

const flags = new Command('benchmark-flow')
  .option('--fleet <names>', `fleets, separated by commas, or "all": ${[...FLEETS.keys()].join(', ')}`, 'all')
  .option('--seeds <count>', 'runs of each', '3')
  .option('--seconds <count>', 'of arrivals, the first 60 not counted', '300')
  .parse()
  .opts<{ fleet: string; seeds: string; seconds: string }>();

function runsOf(fleet: Scenario, seeds: number, seconds: number): FleetRuns {
  // Of pods that have their adapters loaded: a pod alone would spend its time on loading them.
  const { adapters: _, ...base } = fleet;
  const capacity = capacityOf(base).fleet;
  const run = (scenario: Scenario, policy: string): FlowRun[] =>
    Array.from({ length: seeds }, (_, index) => {
      const { kind, seen } = watched(POLICIES[policy]!, scenario.warmupSeconds, scenario.arrivalSeconds);
      const figures = figuresOf(runFleet(scenarioRun(scenario, { policy: kind, seed: index + 1 })));
      process.stderr.write(`${fleet.name}, ${policy}, ${scenario.ratePerSecond.toFixed(1)} req/s, seed ${index + 1}\n`);
      return { figures, seen };
    });
  return {
    fleet: fleet.name,
    capacity,
    quiet: run(bandLoad(fleet, capacity, 0.8, seconds), 'gateway-flow'),
    double: run(bandLoad(fleet, capacity, 2, seconds), 'gateway-flow'),
    without: run(bandLoad(fleet, capacity, 2, seconds), 'gateway'),
    tenants: run(tenantLoad(fleet, capacity, seconds), 'gateway-flow'),
  };
}

function main(): void {
  const seeds = readSeeds(flags.seeds);
  const seconds = Number(flags.seconds);
  if (!(seconds > 60 && seconds <= 100_000)) throw new Error(`--seconds ${flags.seconds}: expected a number above 60`);
  const names = optionNames('--fleet', optionList(flags.fleet), 'fleet', [...FLEETS.keys()]);
  const fleets = names.map((name) => runsOf(FLEETS.get(name)!, seeds, seconds));
  const head = `Simulated, ${seeds} ${seeds === 1 ? 'seed' : 'seeds'}, ${seconds} s of arrivals.`;
  process.stdout.write(`${[head, criticalTable(fleets), bandTable(fleets), checkTable(fleets)].join('\n\n')}\n`);
}

try {
  main();
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
