import { access, constants as fileModes, writeFile } from 'node:fs/promises';
import { availableParallelism, constants } from 'node:os';
import { dirname } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command } from 'commander';
import pc from 'picocolors';
import { plotSvg, scenariosWithoutCurve } from '../../runtime/simulator/report/plot';
import type { ReportRow } from '../../runtime/simulator/report/report-row';
import { reportTable } from '../../runtime/simulator/report/report-table';
import { type Cell, cellRows, planCell } from '../../runtime/simulator/run/cell';
import { type Order, type OrderFlags, readOrder } from '../../runtime/simulator/run/order';
import { runInWorkers } from '../../runtime/simulator/run/worker-pool';
import { EXIT_USAGE, fail, warn } from '../exit';

interface SimulateFlags extends OrderFlags {
  readonly json?: true;
  readonly plot?: string;
}

export function simulateCommand(): Command {
  return new Command('simulate')
    .description('compare routing policies on a simulated GPU fleet; the gateway under test is the shipped code')
    .requiredOption('--scenario <names>', 'scenarios, separated by commas, or "all"; FILE.json is one of your own')
    .option('--policy <names>', 'policies, separated by commas, or "all"', 'gateway,gie-default,round-robin')
    .option('--seeds <count>', 'runs of each, with the seeds 1 to this', '10')
    .option('--rate <rates>', 'requests per second, separated by commas, or "sweep" for those of the scenario')
    .option(
      '--scrape-interval <duration>',
      "time between two readings of a pod's metrics, in place of each policy's own",
    )
    .option('--scale <factors>', "factors on the engines' speed and cache: 0.7, or such as prefill=0.7,decode=1.3,kv=1")
    .option('--trace <file>', "requests of a trace in place of the scenario's: Azure CSV, Mooncake JSONL, a recording")
    .option('--json', 'print one JSON array in place of tables')
    .option('--plot <file>', 'draw P95 time to first token over load as SVG; needs two rates or more')
    .action(runSimulate);
}

async function runSimulate(flags: SimulateFlags): Promise<void> {
  const stop = new AbortController();
  let exitCode = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      exitCode = 128 + constants.signals[signal];
      stop.abort();
    });
  }
  try {
    const order = await readOrder(flags).catch((error: unknown) => fail(error, EXIT_USAGE));
    for (const warning of order.warnings) warn(warning);
    const plans = order.scenarios.map((rates) =>
      rates.map((scenario) => planCell(scenario, order.policies, order.seeds, order.settings)),
    );
    if (flags.plot !== undefined) await checkPlot(flags.plot, plans.flat()).catch((error) => fail(error, EXIT_USAGE));
    const rows = await runPlans(plans, order, flags, stop.signal);
    if (flags.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
    if (flags.plot !== undefined) await writeFile(flags.plot, plotSvg(rows));
  } catch (error) {
    if (exitCode !== 0) process.exit(exitCode);
    fail(error);
  }
}

/** Runs scenario by scenario, so that the tables of the first can be read while the next one runs. */
async function runPlans(
  plans: readonly (readonly Cell[])[],
  order: Order,
  flags: SimulateFlags,
  signal: AbortSignal,
): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  const total = plans.flat().reduce((sum, { tasks }) => sum + tasks.length, 0);
  const bar = new SingleBar({
    format: '{scenario} [{bar}] {value}/{total} runs, {eta_formatted} left',
    clearOnComplete: true,
    hideCursor: true,
    noTTYOutput: false,
    gracefulExit: false,
    stream: process.stderr,
  });
  let done = 0;
  for (const cells of plans) {
    const scenario = cells[0]?.scenario.name ?? '';
    if (process.stderr.isTTY) bar.start(total, done, { scenario });
    try {
      const figures = await runInWorkers(
        cells.flatMap(({ tasks }) => tasks),
        {
          script: process.argv[1]!,
          args: ['simulate-worker'],
          workers: availableParallelism(),
          signal,
          onDone: () => bar.update(++done),
        },
      );
      bar.stop();
      for (const cell of cells) {
        const ofCell = cellRows(cell, figures, order.policies);
        rows.push(...ofCell);
        if (!flags.json) printTable(cell, ofCell, order);
      }
    } finally {
      bar.stop();
    }
  }
  return rows;
}

function printTable({ scenario }: Cell, rows: readonly ReportRow[], { seeds, notes, settings }: Order): void {
  const { name, title, ratePerSecond: rate } = scenario;
  // AWS says nothing of a trace's requests.
  const aws = settings.trace === undefined ? scenario.aws : undefined;
  process.stdout.write(`${reportTable({ scenario: name, title, rate, seeds, notes, aws }, rows, pc)}\n`);
}

/** Before the runs: what can be known to fail must not fail after them. */
async function checkPlot(file: string, cells: readonly Cell[]): Promise<void> {
  if (!file.endsWith('.svg')) throw new Error(`--plot ${file}: expected a name that ends with .svg`);
  const single = scenariosWithoutCurve(
    cells.map(({ scenario: { name, ratePerSecond } }) => ({ scenario: name, rate: ratePerSecond })),
  );
  if (single.length > 0) {
    throw new Error(
      `--plot draws curves over load, and ${single.join(', ')} has one rate only; add --rate sweep, or two rates`,
    );
  }
  await access(dirname(file), fileModes.W_OK).catch((error: Error) => {
    throw new Error(`--plot ${file}: cannot be written: ${error.message}`);
  });
}
