import { durationToMilliseconds } from '../../../lib/api/schema/duration';
import { POLICIES } from '../policies';
import type { Scenario } from '../scenarios/scenario';
import type { RunSettings } from './cell';
import { optionList, optionNames } from './option-list';
import { readScenarios } from './read-scenarios';
import { readScale } from './scale-option';
import { droppedNotes, measureTrace } from './trace-file';

/** What the options of `simulate` say, as text. */
export interface OrderFlags {
  readonly scenario: string;
  readonly policy: string;
  readonly seeds: string;
  readonly rate?: string;
  readonly scrapeInterval?: string;
  readonly scale?: string;
  readonly trace?: string;
}

/** What is to be simulated. */
export interface Order {
  /** By scenario, each at all its rates, rising: `ratePerSecond` is the rate of the run. */
  readonly scenarios: readonly (readonly Scenario[])[];
  readonly policies: readonly string[];
  readonly seeds: number;
  readonly settings: RunSettings;
  /** How the settings differ from the defaults, in words. */
  readonly notes: readonly string[];
  /** What to know of the input, in words. */
  readonly warnings: readonly string[];
}

const MOST_SEEDS = 1_000;
const MOST_RATE = 100_000;
/** Of a trace, at most this share is taken to warm up. */
const TRACE_WARMUP_SHARE = 0.1;

/**
 * Reads the options, scenario files and the trace. Throws an error that names the option and value that is wrong and
 * what is expected.
 */
export async function readOrder(flags: OrderFlags): Promise<Order> {
  const policies = optionNames('--policy', optionList(flags.policy), 'policy', Object.keys(POLICIES));
  const seeds = readSeeds(flags.seeds);
  const scrapeInterval = flags.scrapeInterval === undefined ? undefined : readInterval(flags.scrapeInterval);
  const scale = flags.scale === undefined ? undefined : readScale(flags.scale);
  const scenarios = await readScenarios(flags.scenario);
  const trace = flags.trace === undefined ? undefined : { path: flags.trace, ...(await measureTrace(flags.trace)) };
  return {
    scenarios: scenarios.map((scenario) =>
      readRates(flags.rate, scenario, trace?.ratePerSecond).map((ratePerSecond) => ({
        ...scenario,
        ratePerSecond,
        ...(trace !== undefined && {
          warmupSeconds: Math.min(scenario.warmupSeconds, (TRACE_WARMUP_SHARE * (trace.requests - 1)) / ratePerSecond),
        }),
      })),
    ),
    policies,
    seeds,
    settings: {
      ...(scrapeInterval !== undefined && { scrapeInterval }),
      ...(scale !== undefined && { scale }),
      ...(trace !== undefined && { trace: { path: trace.path, ratePerSecond: trace.ratePerSecond } }),
    },
    notes: [
      ...(flags.scrapeInterval === undefined ? [] : [`scraped every ${flags.scrapeInterval}`]),
      ...(flags.scale === undefined ? [] : [`engines scaled by ${flags.scale}`]),
      ...(flags.trace === undefined ? [] : [`requests of ${flags.trace}`]),
    ],
    warnings: trace === undefined ? [] : droppedNotes(trace.path, trace.dropped),
  };
}

/** A number of seeds. Throws an error that names the option. */
export function readSeeds(text: string): number {
  const seeds = Number(text);
  if (Number.isInteger(seeds) && seeds >= 1 && seeds <= MOST_SEEDS) return seeds;
  throw new Error(`--seeds ${text}: expected a whole number from 1 to ${MOST_SEEDS}`);
}

/** Requests per second, rising: those named, or those of the sweep, or the trace's own, or the scenario's default. */
function readRates(text: string | undefined, scenario: Scenario, ofTrace: number | undefined): readonly number[] {
  if (text === undefined) return [ofTrace ?? scenario.ratePerSecond];
  if (text === 'sweep') return scenario.rates;
  const parts = optionList(text);
  const rates = parts.map((part) => {
    const rate = Number(part);
    if (rate > 0 && rate <= MOST_RATE) return rate;
    throw new Error(`--rate ${part}: expected requests per second above 0, up to ${MOST_RATE}, or "sweep"`);
  });
  if (rates.length === 0) throw new Error('--rate: names no rate; expected requests per second, or "sweep"');
  return [...new Set(rates)].sort((a, b) => a - b);
}

function readInterval(text: string): NonNullable<RunSettings['scrapeInterval']> {
  const seconds = (durationToMilliseconds(text) ?? 0) / 1000;
  if (seconds > 0) return { busySeconds: seconds, idleSeconds: seconds };
  throw new Error(`--scrape-interval ${text}: expected a duration above 0, such as 50ms, 1s or 15s`);
}
