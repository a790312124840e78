import { z } from 'zod';
import { affinitySchema, nodeSelectorSchema, resourcesSchema, tolerationsSchema } from './pod-defaults';

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
    nodeSelector: nodeSelectorSchema
      .optional()
      .meta({ description: 'Labels that a node of an Envoy must have.', extension: true }),
    tolerations: tolerationsSchema
      .optional()
      .meta({ description: 'Taints that the Envoys tolerate (core/v1 Toleration).', extension: true }),
    affinity: affinitySchema
      .optional()
      .meta({ description: 'Where the Envoys prefer to run (core/v1 Affinity).', extension: true }),
  })
  .meta({ typeName: 'EnvoySpec' });
