/**
 * Prints the tables of docs/benchmarks.md that compare routing policies on the simulated fleet, as Markdown, and draws
 * its figures. Runs are kept in `.cache`, so that a part can be repeated.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import { optionList, optionNames } from '../runtime/simulator/run/option-list';
import { readSeeds } from '../runtime/simulator/run/order';
import { SCENARIOS } from '../runtime/simulator/scenarios';
import { createCachedRuns } from './benchmark-routing/cached-runs';
import { PARTS } from './benchmark-routing/parts';

const ROOT = join(__dirname, '..');

const flags = new Command('benchmark-routing')
  .option('--part <names>', `parts, separated by commas, or "all": ${Object.keys(PARTS).join(', ')}`, 'all')
  .option('--seeds <count>', 'runs of each', '10')
  .option('--scenario <names>', 'scenarios of "scenarios", "sweep" and "regret", separated by commas, or "all"', 'all')
  .parse()
  .opts<{ part: string; seeds: string; scenario: string }>();

async function main(): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('ended by Ctrl-C; what was run is kept')));
  const seeds = readSeeds(flags.seeds);
  const names = optionNames('--part', optionList(flags.part), 'part', Object.keys(PARTS));
  const scenarios = optionNames('--scenario', optionList(flags.scenario), 'scenario', [...SCENARIOS.keys()]);
  const runs = await createCachedRuns(join(ROOT, '.cache'), stop.signal);
  for (const name of names) {
    const text = await PARTS[name]!({ runs, seeds, scenarios, figuresFolder: join(ROOT, 'docs/figures') });
    process.stdout.write(`## ${name}\n\nSimulated, mean of ${seeds} seeds ± 95 % interval.\n\n${text}\n\n`);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
