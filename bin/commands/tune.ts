import { constants } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError } from 'commander';
import { type TuneStep, tune } from '../../runtime/simulator/tune/tune';
import { readTuneInput, type TuneFiles, type TuneInput } from '../../runtime/simulator/tune/tune-input';
import { tuneReport } from '../../runtime/simulator/tune/tune-report';
import { EXIT_USAGE, fail, warn } from '../exit';

interface TuneFlags extends TuneFiles {
  readonly trials: number;
  readonly seed: number;
}

export function tuneCommand(): Command {
  return new Command('tune')
    .description('search scorer weights for a recorded load on a simulated fleet, and print those that do better')
    .requiredOption('--trace <file>', 'what "local --record" wrote, or another trace that "simulate" reads')
    .requiredOption('--fleet <file>', 'YAML: fleet, a list of {profile, pods, overrides} as in a scenario')
    .option('--scheduler <name>', 'the scheduler, where the recording has several')
    .option('--trials <count>', 'sets of weights to try at most', wholeNumber, 60)
    .option('--seed <number>', 'seed of the search and of the simulated fleet', wholeNumber, 1)
    .action(runTune);
}

async function runTune(flags: TuneFlags): Promise<void> {
  const { input, steps } = await begun(flags).catch((error: unknown) => fail(error, EXIT_USAGE));
  for (const warning of input.warnings) warn(warning);
  const bar = new SingleBar({
    format: 'searching [{bar}] {value} of at most {total} sets of weights',
    clearOnComplete: true,
    hideCursor: true,
    gracefulExit: false,
    stream: process.stderr,
  });
  if (process.stderr.isTTY) bar.start(flags.trials, 0);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      bar.stop();
      process.exit(128 + constants.signals[signal]);
    });
  }
  let last: TuneStep = { trial: 0, weights: input.present };
  try {
    for (const step of steps) {
      last = step;
      bar.update(step.trial);
      // A signal is heard between two trials.
      await nextTurn();
    }
  } finally {
    bar.stop();
  }
  const report = tuneReport({ ...input, requests: input.requests.length, pods: input.pods.length }, last);
  process.stdout.write(`${report.trimEnd()}\n`);
}

/** Rejects where the files, or what is in them, are no ground to tune on. */
async function begun(flags: TuneFlags): Promise<{ input: TuneInput; steps: Iterable<TuneStep> }> {
  const input = await readTuneInput(flags);
  return { input, steps: tune({ ...input, trials: flags.trials, seed: flags.seed }) };
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('Expected a whole number from 1.');
  return Number(text);
}
