import { z } from 'zod';
import { type EngineParameters, parameterFaults } from '../engine/parameters';
import { ENGINE_PROFILES, type EngineProfileName } from '../engine/profiles';
import { sizesSchema } from './sizes';

const positive = z.number().positive();
const count = z.number().int().min(1);
const seconds = z.number().min(0);
const podNumbers = z.array(z.number().int().min(0)).min(1);
const profileNames = Object.keys(ENGINE_PROFILES) as [EngineProfileName, ...EngineProfileName[]];

/** Every engine parameter, each of them optional. */
const overridesSchema = z.partialRecord(
  z.enum(Object.keys(ENGINE_PROFILES['llama-8b-h100'].parameters) as [keyof EngineParameters]),
  z.number(),
);

const podsSchema = z
  .strictObject({
    profile: z.enum(profileNames),
    pods: count,
    /** Engine parameters of these pods that differ from the profile's. */
    overrides: overridesSchema.exactOptional(),
  })
  .superRefine(({ profile, overrides }, context) => {
    for (const message of parameterFaults({ ...ENGINE_PROFILES[profile].parameters, ...overrides })) {
      context.addIssue({ code: 'custom', path: ['overrides'], message });
    }
  });

/** Something that happens to pods, `at` seconds after the first arrival may come. Pods are numbered from 0 in the fleet's order. */
const eventSchema = z.discriminatedUnion('kind', [
  /** Connections break and requests in flight fail; the pod ceases to be ready `noticeSeconds` later. */
  z.strictObject({ at: seconds, kind: z.literal('pod-lost'), pods: podNumbers }),
  /** A lost pod is ready again, with an empty cache. */
  z.strictObject({ at: seconds, kind: z.literal('pod-returned'), pods: podNumbers }),
  /** A pod that was absent until now is ready. */
  z.strictObject({ at: seconds, kind: z.literal('pod-added'), pods: podNumbers }),
  /** Scrapes of all pods fail until `metrics-return`. */
  z.strictObject({ at: seconds, kind: z.enum(['metrics-outage', 'metrics-return']) }),
  /** From now on steps take `1 / factor` of the profile's time: 0.5 is a GPU throttled to half, 1 its full speed. */
  z.strictObject({ at: seconds, kind: z.literal('speed'), pods: podNumbers, factor: positive }),
]);

/** When requests come. All keep the mean rate `ratePerSecond` of the scenario. */
const arrivalsSchema = z.discriminatedUnion('process', [
  z.strictObject({ process: z.literal('poisson') }),
  /** Independent gaps with this coefficient of variation: 1 is Poisson, above it comes in clumps. */
  z.strictObject({ process: z.literal('gamma'), cv: positive }),
  /**
   * Poisson at `base`, and for the last `burstSeconds` of every `everySeconds` at a rate drawn evenly from
   * `burst.from` to `burst.to`. Only their proportion matters: `ratePerSecond` scales all three.
   */
  z
    .strictObject({
      process: z.literal('bursts'),
      base: z.number().min(0),
      burst: z.strictObject({ from: positive, to: positive }),
      burstSeconds: positive,
      everySeconds: positive,
    })
    .refine(({ burst }) => burst.from <= burst.to, { path: ['burst'], error: 'from must not be above to' })
    .refine(({ burstSeconds, everySeconds }) => burstSeconds <= everySeconds, {
      path: ['burstSeconds'],
      error: 'must not be above everySeconds',
    }),
]);

/** Prompts begin with the prefix of one of some groups, or of none when there is no such field. */
const prefixesSchema = z.strictObject({
  groups: count,
  /** Length of each prefix; whole blocks of it can be shared. */
  tokens: count,
  /** Group `k` (from 1) is asked for in proportion to `k^-zipf`; 0 is evenly. */
  zipf: z.number().min(0),
  /** Different prompts in each group, asked for over and over, evenly; absent: every prompt is new after its prefix. */
  promptsPerGroup: count.exactOptional(),
});

/** Adapters by popularity: the adapters of a tier share its part of the requests evenly. */
const adaptersSchema = z.strictObject({
  tiers: z
    .array(z.strictObject({ adapters: count, share: positive }))
    .min(1)
    .refine((tiers) => Math.abs(tiers.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9, {
      error: 'the shares of all tiers must add up to 1',
    }),
});

/** Who asks, in one band of priority, with a part of the requests. */
const bandSchema = z.strictObject({
  /** As of an InferenceObjective: above 0 Critical, 0 Standard, below 0 Sheddable. */
  priority: z.number().int(),
  /** Part of the scenario's rate. */
  share: positive,
  /** Tenants `<band>-0`, `<band>-1`, … Absent: no tenant is named. */
  tenants: z
    .array(
      z.strictObject({
        /** The tenant sends in proportion to this. */
        share: positive,
        /** Its prompts (after a shared prefix) and answers are so many times the scenario's. */
        size: positive.default(1),
      }),
    )
    .min(1)
    .exactOptional(),
});

/** What AWS publishes for this kind of fleet against round robin, in per cent; negative is less. */
const awsSchema = z.strictObject({
  ttft_p95_pct: z.number().exactOptional(),
  ttft_p99_pct: z.number().exactOptional(),
  throughput_pct: z.number().exactOptional(),
});

/** A fleet, its load and what befalls it: one data file. */
export const scenarioSchema = z
  .strictObject({
    name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected lower-case words joined by "-"'),
    /** One sentence. */
    title: z.string().min(1),
    /** Where the numbers come from. */
    basis: z.string().min(1),
    fleet: z.array(podsSchema).min(1),
    events: z.array(eventSchema).default([]),
    /** Mean arrivals per second; the default load. */
    ratePerSecond: positive,
    /** The loads of the sweep, rising. */
    rates: z.array(positive).min(1),
    arrivals: arrivalsSchema,
    /** Prompt tokens after the shared prefix. */
    promptTokens: sizesSchema,
    outputTokens: sizesSchema,
    /** `max_tokens` that clients send, which cuts answers off; absent: they send none. */
    maxOutputTokens: count.exactOptional(),
    prefixes: prefixesSchema.exactOptional(),
    adapters: adaptersSchema.exactOptional(),
    /** Each band's requests come by themselves, all by `arrivals`. Absent: every request is Standard. */
    bands: z
      .array(bandSchema)
      .min(1)
      .refine((bands) => Math.abs(bands.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-9, {
        error: 'the shares of all bands must add up to 1',
      })
      .exactOptional(),
    /** Kept-alive connections of all clients together; a request goes over any of them. */
    connections: count.default(16),
    /** The network between picker and metrics pages: delay of an answer, and the part of answers that never come. */
    scrape: z
      .strictObject({ delaySeconds: seconds, loss: z.number().min(0).max(1) })
      .default({ delaySeconds: 0.005, loss: 0 }),
    /** An answer counts as goodput when its first token comes within this. */
    firstTokenLimitSeconds: positive,
    /** Requests that arrive before this are served but not measured. */
    warmupSeconds: seconds.default(60),
    /** Arrivals end after this; what is in flight is served to its end. */
    arrivalSeconds: positive.default(600),
    /** From a pod's loss until Kubernetes says that it is not ready. */
    noticeSeconds: seconds.default(10),
    /** `spec.overload.maxQueueTime` of the gateway; other policies refuse nothing. Default: the gateway's. */
    maxQueueTimeSeconds: positive.default(30),
    aws: awsSchema.exactOptional(),
  })
  .superRefine((scenario, context) => {
    const pods = podCount(scenario);
    scenario.events.forEach((event, index) => {
      for (const pod of 'pods' in event ? event.pods : []) {
        if (pod < pods) continue;
        const message = `there is no pod ${pod}: the fleet's ${pods} pods are numbered from 0`;
        context.addIssue({ code: 'custom', path: ['events', index, 'pods'], message });
      }
    });
    if (scenario.warmupSeconds >= scenario.arrivalSeconds) {
      context.addIssue({ code: 'custom', path: ['warmupSeconds'], message: 'must be below arrivalSeconds' });
    }
    if (scenario.rates.some((rate, index) => index > 0 && rate <= scenario.rates[index - 1]!)) {
      context.addIssue({ code: 'custom', path: ['rates'], message: 'must rise' });
    }
  });

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioEvent = Scenario['events'][number];
export type Arrivals = Scenario['arrivals'];
export type BandLoad = NonNullable<Scenario['bands']>[number];

/** Pods that the run will ever have, those to be added included. */
function podCount({ fleet }: Pick<Scenario, 'fleet'>): number {
  return fleet.reduce((sum, { pods }) => sum + pods, 0);
}

/** Checks a data file. Throws an error that names each field that is wrong and what was expected. */
export function parseScenario(data: unknown): Scenario {
  const result = scenarioSchema.safeParse(data);
  if (result.success) return result.data;
  throw new Error(`scenario ${nameOf(data)}:\n${z.prettifyError(result.error)}`);
}

function nameOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'name' in data ? JSON.stringify(data.name) : 'without a name';
}
