import { z } from 'zod';

/** API group of the InferencePools that are made for schedulers, each of its scheduler's name. */
export const POOL_GROUP = 'inference.networking.k8s.io';
export const POOL_KIND = 'InferencePool';

/** `spec.poolRef` of the objects of the Gateway API Inference Extension; the pool is of their namespace. */
export const poolRefSchema = z.strictObject({
  group: z
    .string()
    .max(253)
    .regex(/^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
    .default(POOL_GROUP)
    .meta({ expects: 'an API group, such as inference.networking.k8s.io' }),
  kind: z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$/)
    .default(POOL_KIND),
  name: z.string().min(1).max(253),
});
