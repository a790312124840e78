import { seededRandom } from '../engine/seeded-random';
import type { FleetRequest, Workload } from '../fleet/fleet-request';
import type { Scenario } from '../scenarios/scenario';
import { createAdapterChoice } from './adapter-choice';
import { createArrivals } from './arrivals';
import { createPrompts } from './prompts';
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
 * own stream of chance, so that for one seed the n-th request is the same at every rate, but for its time.
 */
export function generateWorkload(scenario: Scenario, { ratePerSecond, random }: GenerateOptions): Workload {
  const rate = ratePerSecond ?? scenario.ratePerSecond;
  const seeds = Array.from({ length: STREAMS }, () => Math.floor(random() * 2 ** 32));
  return { [Symbol.iterator]: () => requests(scenario, rate, seeds) };
}

const STREAMS = 7;

function* requests(scenario: Scenario, rate: number, seeds: readonly number[]): Generator<FleetRequest> {
  const stream = (number: number): (() => number) => seededRandom(seeds[number]!);
  const { maxOutputTokens, connections, arrivalSeconds } = scenario;
  const nextArrival = createArrivals(scenario.arrivals, rate, { gaps: stream(0), bursts: stream(1) });
  const nextPrompt = createPrompts(scenario, { sizes: stream(2), prefixes: stream(3) });
  const nextOutput = createSizes(scenario.outputTokens, stream(4));
  const adapters = scenario.adapters && createAdapterChoice(scenario.adapters, stream(5));
  const connection = stream(6);

  for (let at = nextArrival(); at < arrivalSeconds; at = nextArrival()) {
    const adapter = adapters?.next();
    const prompt = nextPrompt(adapter ?? 0);
    const request: Writable<FleetRequest> = {
      at,
      promptTokens: prompt.promptTokens,
      outputTokens: Math.min(nextOutput(), maxOutputTokens ?? Number.POSITIVE_INFINITY),
      blocks: prompt.blocks,
      prefixHashes: prompt.prefixHashes,
      connection: Math.floor(connection() * connections),
    };
    if (maxOutputTokens !== undefined) request.maxOutputTokens = maxOutputTokens;
    if (adapter !== undefined) request.adapter = adapters!.names[adapter]!;
    yield request;
  }
}
