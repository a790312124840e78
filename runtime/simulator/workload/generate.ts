import { bandOf } from '../../endpoint-picker/admission/band';
import { seededRandom } from '../engine/seeded-random';
import type { FleetRequest, Workload } from '../fleet/fleet-request';
import type { BandLoad, Scenario } from '../scenarios/scenario';
import { createAdapterChoice } from './adapter-choice';
import { createArrivals } from './arrivals';
import { createWeightedChoice } from './distributions';
import { inOrderOfArrival } from './in-order-of-arrival';
import { createPrompts, createPromptTexts, type PromptTexts } from './prompts';
import { createSizes } from './sizes';

export interface GenerateOptions {
  /** Mean arrivals per second in place of the scenario's. */
  readonly ratePerSecond?: number;
  /** Seeds the workload; only a few numbers are taken from it, at once. */
  readonly random: () => number;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/**
 * The requests of a scenario, made as they are needed; every pass over them gives the same ones. Each property has its
 * own stream of chance, and each band has its own streams, so that for one seed the n-th request of a band is the same at
 * every rate, and whatever the others send, but for its time and the ids of its blocks.
 */
export function generateWorkload(scenario: Scenario, { ratePerSecond, random }: GenerateOptions): Workload {
  const rate = ratePerSecond ?? scenario.ratePerSecond;
  const bands = scenario.bands ?? [ALL_STANDARD];
  const seeds = bands.map(() => Array.from({ length: STREAMS }, () => Math.floor(random() * 2 ** 32)));
  return {
    [Symbol.iterator]() {
      const texts = createPromptTexts();
      const parts = bands.map((band, index) => requests(scenario, band, rate * band.share, seeds[index]!, texts));
      return parts.length === 1 ? parts[0]! : inOrderOfArrival(parts);
    },
  };
}

const ALL_STANDARD: BandLoad = { priority: 0, share: 1 };

const STREAMS = 8;

function* requests(
  scenario: Scenario,
  { priority, tenants }: BandLoad,
  rate: number,
  seeds: readonly number[],
  texts: PromptTexts,
): Generator<FleetRequest> {
  const stream = (number: number): (() => number) => seededRandom(seeds[number]!);
  const { maxOutputTokens = Number.POSITIVE_INFINITY, connections, arrivalSeconds } = scenario;
  const nextArrival = createArrivals(scenario.arrivals, rate, { gaps: stream(0), bursts: stream(1) });
  const nextPrompt = createPrompts(scenario, { sizes: stream(2), prefixes: stream(3) }, texts);
  const nextOutput = createSizes(scenario.outputTokens, stream(4));
  const adapters = scenario.adapters && createAdapterChoice(scenario.adapters, stream(5));
  const connection = stream(6);
  const nextTenant =
    tenants &&
    createWeightedChoice(
      tenants.map(({ share }) => share),
      stream(7),
    );

  for (let at = nextArrival(); at < arrivalSeconds; at = nextArrival()) {
    const adapter = adapters?.next();
    const tenant = nextTenant?.();
    const { size = 1 } = tenant === undefined ? {} : tenants![tenant]!;
    const prompt = nextPrompt(adapter ?? 0, size);
    const request: Writable<FleetRequest> = {
      at,
      promptTokens: prompt.promptTokens,
      outputTokens: Math.min(Math.max(1, Math.round(nextOutput() * size)), maxOutputTokens),
      blocks: prompt.blocks,
      prefixHashes: prompt.prefixHashes,
      connection: Math.floor(connection() * connections),
    };
    if (scenario.maxOutputTokens !== undefined) request.maxOutputTokens = scenario.maxOutputTokens;
    if (adapter !== undefined) request.adapter = adapters!.names[adapter]!;
    if (priority !== 0) request.priority = priority;
    if (tenant !== undefined) request.tenant = `${bandOf(priority)}-${tenant}`;
    yield request;
  }
}
