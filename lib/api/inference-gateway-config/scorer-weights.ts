import { z } from 'zod';
import type { DeepReadonly } from '../schema/deep-readonly';

/** The contract's weights: what an omitted one of the three is where `weights` names others. */
const CONTRACT_WEIGHTS = { queue: 2, kvCache: 2, prefix: 3 } as const;

const weight = z.int32().min(0);

/** `spec.schedulers[].weights`. A weight that is left out has its default, also beside others that are given. */
export const weightsSchema = z
  .strictObject({
    queue: weight.default(CONTRACT_WEIGHTS.queue).meta({ description: 'Few requests waiting in the pod.' }),
    kvCache: weight.default(CONTRACT_WEIGHTS.kvCache).meta({ description: 'Free KV cache.' }),
    prefix: weight.default(CONTRACT_WEIGHTS.prefix).meta({ description: 'Prompt prefix that the pod has cached.' }),
    lru: weight.optional().meta({
      description:
        'Pods that were least recently given a prompt without a cached prefix. Only with `scheduler: llm-d`. Absent: 0.',
    }),
    loraAffinity: weight.optional().meta({ description: 'LoRA adapter that the pod has loaded. Absent: 0.' }),
    runningRequests: weight.optional().meta({ description: 'Few requests running in the pod. Absent: 0.' }),
    predictedLatency: weight.optional().meta({
      description:
        'Soonest first token, by the speed learned of each pod, the prompts ahead, and the prefix and the adapter that it holds unless their weights are 0. Absent: 0.',
    }),
  })
  .meta({ typeName: 'SchedulerWeights' });

/** Names of the weight sets of `spec.schedulers[].profile`. */
export const schedulerProfileSchema = z
  .enum(['balanced', 'latency', 'throughput'])
  .meta({ typeName: 'SchedulerProfile' });

/** A weight for every scorer; 0 leaves it out. */
export type CompleteWeights = Readonly<Record<keyof z.output<typeof weightsSchema>, number>>;

const NO_WEIGHTS: CompleteWeights = {
  queue: 0,
  kvCache: 0,
  prefix: 0,
  lru: 0,
  loraAffinity: 0,
  runningRequests: 0,
  predictedLatency: 0,
};

/**
 * Weights by profile. `balanced`: about the contract's three, and more than those the soonest answer by what was learned of each
 * pod; prompts that nobody holds take turns a little, so that prefixes spread evenly. `latency`: the soonest answer before everything. `throughput`: warm caches and free KV cache before the soonest
 * answer, for long shared prompts and batches. `predictedLatency` knows of cached prefixes and loaded adapters only where
 * `prefix` and `loraAffinity` are above 0.
 */
export const SCHEDULER_PROFILES: Readonly<Record<z.output<typeof schedulerProfileSchema>, CompleteWeights>> = {
  balanced: { queue: 2, kvCache: 3, prefix: 3, lru: 1, loraAffinity: 2, runningRequests: 0, predictedLatency: 6 },
  latency: { ...NO_WEIGHTS, queue: 2, prefix: 1, predictedLatency: 12, loraAffinity: 1 },
  throughput: { ...NO_WEIGHTS, queue: 1, kvCache: 4, prefix: 6, predictedLatency: 4, loraAffinity: 4 },
};

interface WeightChoice {
  readonly weights?: DeepReadonly<z.output<typeof weightsSchema>> | undefined;
  readonly profile?: z.output<typeof schedulerProfileSchema> | undefined;
  /** `epp` has no `lru`. Default `llm-d`. */
  readonly scheduler?: 'llm-d' | 'epp' | undefined;
}

/** The weights a scheduler runs with: explicit ones, else its profile's, else those of `balanced`. */
export function schedulerWeights({ weights, profile, scheduler }: WeightChoice): CompleteWeights {
  if (weights !== undefined) return withoutHoles(weights);
  const chosen = SCHEDULER_PROFILES[profile ?? 'balanced'];
  return scheduler === 'epp' ? { ...chosen, lru: 0 } : chosen;
}

function withoutHoles(weights: NonNullable<WeightChoice['weights']>): CompleteWeights {
  return {
    ...weights,
    lru: weights.lru ?? 0,
    loraAffinity: weights.loraAffinity ?? 0,
    runningRequests: weights.runningRequests ?? 0,
    predictedLatency: weights.predictedLatency ?? 0,
  };
}
