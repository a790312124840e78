import { z } from 'zod';
import { durationSchema } from '../schema/duration';
import { byteCountSchema } from '../schema/quantity';

/** What a band has where nothing is said; the translator and the rules use them too. */
export const FLOW_CONTROL_DEFAULTS = {
  ttl: '10s',
  maxRequests: 1000,
  bandMaxBytes: '256Mi',
  maxBytes: '512Mi',
  maxTenants: 100,
} as const;

/** No request is held longer. */
export const LONGEST_HOLD_MS = 300_000;

/**
 * The most that `maxBytes` of a scheduler can allow: half of the bytes that a router may hold for all of them, so that what
 * waits for one never takes all.
 */
export const MOST_FLOW_BYTES = 2 ** 30;

/** The most that `maxRequests` of a band can allow. */
export const MAX_BAND_REQUESTS = 100_000;

const bandSchema = z
  .strictObject({
    ttl: durationSchema.default(FLOW_CONTROL_DEFAULTS.ttl).meta({
      description: 'A request that has waited so long is answered with 429; above 0s, at most 5m.',
      extension: true,
    }),
    maxRequests: z.int().min(0).max(MAX_BAND_REQUESTS).default(FLOW_CONTROL_DEFAULTS.maxRequests).meta({
      description: 'Requests that may wait. One more is answered with 429. 0: none waits.',
      extension: true,
    }),
    // Not a default of the schema: it would be above a smaller `maxBytes` of all bands, which nobody wrote there.
    maxBytes: byteCountSchema.optional().meta({
      description: `Bytes of request bodies that may wait, as a quantity; not above \`maxBytes\` of all bands. Absent: ${FLOW_CONTROL_DEFAULTS.bandMaxBytes}, or that of all bands where it is less.`,
      extension: true,
    }),
  })
  .meta({ typeName: 'FlowControlBand' });

const bandsSchema = z
  .strictObject({
    critical: bandSchema.prefault({}).meta({ description: 'Requests with a priority above 0.', extension: true }),
    standard: bandSchema
      .prefault({})
      .meta({ description: 'Requests with priority 0, and those that name no objective.', extension: true }),
    sheddable: bandSchema.prefault({}).meta({ description: 'Requests with a priority below 0.', extension: true }),
  })
  .meta({ typeName: 'FlowControlBands' });

/** `spec.schedulers[].flowControl`. */
export const flowControlSchema = z
  .strictObject({
    bands: bandsSchema
      .prefault({})
      .meta({ description: 'How requests wait, by the sign of their priority.', extension: true }),
    maxBytes: byteCountSchema.default(FLOW_CONTROL_DEFAULTS.maxBytes).meta({
      description:
        'Bytes of request bodies that may wait in all bands together, as a quantity; at most 1Gi. The router holds at most 2 GiB for all schedulers and refuses more with 503, so that the sum over schedulers should stay well below.',
      extension: true,
    }),
    maxTenants: z.int().min(1).max(10_000).default(FLOW_CONTROL_DEFAULTS.maxTenants).meta({
      description: 'Tenants of a band that have a queue of their own at one time. The others share one.',
      extension: true,
    }),
    trustClientHeaders: z.boolean().default(false).meta({
      description:
        'Believes the objective that a client names, also where it raises the priority. Only where every client can be trusted. Not with `spec.auth.jwt.claims`.',
      extension: true,
    }),
  })
  .meta({ typeName: 'FlowControlSpec' });
