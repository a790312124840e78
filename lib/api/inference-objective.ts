import { z } from 'zod';
import { poolRefSchema } from './pool-ref';
import type { DeepReadonly } from './schema/deep-readonly';
import { objectMetaSchema } from './schema/object-meta';

/** `InferenceObjective`, in the API groups of the Gateway API Inference Extension and of llm-d. */
export const inferenceObjectiveSchema = z.strictObject({
  apiVersion: z.enum(['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2']),
  kind: z.literal('InferenceObjective'),
  metadata: objectMetaSchema,
  spec: z.strictObject({
    /** Absent is 0. */
    priority: z
      .int()
      .min(-(2 ** 31))
      .max(2 ** 31 - 1)
      .optional(),
    poolRef: poolRefSchema,
  }),
  status: z.unknown().optional(),
});

/** With its defaults filled in. */
export type InferenceObjective = DeepReadonly<z.output<typeof inferenceObjectiveSchema>>;
