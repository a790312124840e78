import { z } from 'zod';
import { resourcesSchema } from './pod-defaults';

/** What `spec.envoy` has where nothing is said; the rules compare with it. */
export const ENVOY_DEFAULTS = { minReplicas: 2, maxReplicas: 10 } as const;

/** `spec.envoy`. */
export const envoySchema = z
  .strictObject({
    minReplicas: z.int32().min(1).default(ENVOY_DEFAULTS.minReplicas).meta({
      description: 'Fewest Envoy pods.',
      extension: true,
    }),
    maxReplicas: z.int32().min(1).default(ENVOY_DEFAULTS.maxReplicas).meta({
      description: 'Most Envoy pods; they are added by CPU use. Not below `minReplicas`.',
      extension: true,
    }),
    resources: resourcesSchema.optional().meta({
      description:
        'Requests and limits of the Envoy container (core/v1 ResourceRequirements). A limit of memory that is not set is 4Gi: request bodies wait in it, and from 64 % of it on new requests get 503.',
      extension: true,
    }),
  })
  .meta({ typeName: 'EnvoySpec' });
