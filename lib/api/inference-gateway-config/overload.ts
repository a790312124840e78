import { z } from 'zod';
import { durationSchema } from '../schema/duration';

/** Defaults of `spec.overload.retryAfter`; the rules compare with them where a bound is not given. */
export const RETRY_AFTER_DEFAULTS = { min: '1s', max: '60s' } as const;

const retryAfterSchema = z
  .strictObject({
    min: durationSchema.default(RETRY_AFTER_DEFAULTS.min).meta({ description: 'Shortest `Retry-After`; above 0s.' }),
    max: durationSchema
      .default(RETRY_AFTER_DEFAULTS.max)
      .meta({ description: 'Longest `Retry-After`; not below `min`.' }),
  })
  .meta({ typeName: 'RetryAfterSpec' });

/** `spec.overload`. */
export const overloadSchema = z
  .strictObject({
    maxQueueTime: durationSchema.default('30s').meta({
      description:
        'A request that no pod can start within this time, estimated from the measured drain rate, is answered with 429; above 0s. Until requests have finished there is no estimate, and nothing is refused.',
      extension: true,
    }),
    retryAfter: retryAfterSchema.prefault({}).meta({
      description: 'Bounds of the `Retry-After` that is computed from the measured drain rate.',
      extension: true,
    }),
    emptyPoolHold: durationSchema.default('10s').meta({
      description:
        'A request for a model none of whose pods is ready waits so long for the first one, and is then answered with 503; at most 5m. `0s`: it does not wait. Without `flowControl` all that waited go to the first pod that becomes ready, and those that it cannot start within `maxQueueTime` are answered with 429; with it they go on as pods have room.',
      extension: true,
    }),
  })
  .meta({ typeName: 'OverloadSpec' });
