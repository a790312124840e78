import { z } from 'zod';
import { poolRefSchema } from './pool-ref';
import type { DeepReadonly } from './schema/deep-readonly';
import { objectMetaSchema } from './schema/object-meta';
import { isRecord, items, property } from './validation/loose';
import type { Rule } from './validation/rule';

const matchSchema = z.strictObject({
  model: z.strictObject({ type: z.enum(['Exact']).default('Exact'), value: z.string().min(1) }),
});

const targetSchema = z.strictObject({
  modelRewrite: z.string().min(1),
  weight: z.int().min(1).max(1_000_000).optional(),
});

const ruleSchema = z.strictObject({
  /** Any of them; none or absent matches every model. */
  matches: z.array(matchSchema).optional(),
  targets: z.array(targetSchema).min(1).optional(),
});

/** `InferenceModelRewrite`, in the API groups of the Gateway API Inference Extension and of llm-d. */
export const inferenceModelRewriteSchema = z.strictObject({
  apiVersion: z.enum(['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2']),
  kind: z.literal('InferenceModelRewrite'),
  metadata: objectMetaSchema,
  spec: z.strictObject({ poolRef: poolRefSchema, rules: z.array(ruleSchema) }),
  status: z.unknown().optional(),
});

/** With its defaults filled in. */
export type InferenceModelRewrite = DeepReadonly<z.output<typeof inferenceModelRewriteSchema>>;

export const INFERENCE_MODEL_REWRITE_RULES: readonly Rule[] = [
  {
    name: 'target-weights-all-or-none',
    at: ['spec', 'rules', '*'],
    message: 'either every target has a weight or none has: add the missing weight, or remove the others',
    cel: { absentBecause: 'the CRD is published by others, and states this in words only' },
    extension: false,
    violations: (rule) => {
      const targets = items(property(rule, 'targets'));
      if (!targets.some((target) => property(target, 'weight') !== undefined)) return [];
      return targets.flatMap((target, index) =>
        isRecord(target) && target.weight === undefined ? [{ path: ['targets', index, 'weight'] }] : [],
      );
    },
  },
];
