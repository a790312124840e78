import { z } from 'zod';
import { quantitySchema } from '../schema/quantity';

const text = z.string();
const textMap = z.record(text, text);

const quantityMap = z.record(text, quantitySchema);

/* Deep Kubernetes types are passed through: the API server checks them where they land, in the pods' template. */

/** Requests and limits of a container (core/v1 ResourceRequirements). */
export const resourcesSchema = z.looseObject({ requests: quantityMap.optional(), limits: quantityMap.optional() });

/** Labels that a node must have (core/v1 PodSpec `nodeSelector`). */
export const nodeSelectorSchema = textMap;

const tolerationSchema = z.looseObject({
  key: text.optional(),
  operator: text.optional(),
  value: text.optional(),
  effect: text.optional(),
  tolerationSeconds: z.int().optional(),
});

/** Taints that pods tolerate (core/v1 Toleration). */
export const tolerationsSchema = z.array(tolerationSchema);

/** Where pods run, or prefer to (core/v1 Affinity). */
export const affinitySchema = z.looseObject({
  nodeAffinity: z.looseObject({}).optional(),
  podAffinity: z.looseObject({}).optional(),
  podAntiAffinity: z.looseObject({}).optional(),
});

const envVarSchema = z.looseObject({
  name: text.min(1),
  value: text.optional(),
  valueFrom: z.looseObject({}).optional(),
});

/** Environment variables of a container (core/v1 EnvVar). */
export const envSchema = z.array(envVarSchema);

/** Sources of environment variables (core/v1 EnvFromSource). */
export const envFromSchema = z.array(z.looseObject({}));

/** `spec.podDefaults`. */
export const podDefaultsSchema = z
  .strictObject({
    resources: resourcesSchema.optional().meta({ description: 'Requests and limits (core/v1 ResourceRequirements).' }),
    nodeSelector: nodeSelectorSchema.optional().meta({ description: 'Labels that a node must have.' }),
    tolerations: tolerationsSchema
      .optional()
      .meta({ description: 'Taints that the pods tolerate (core/v1 Toleration).' }),
    affinity: affinitySchema.optional().meta({ description: 'Where the pods prefer to run (core/v1 Affinity).' }),
    labels: textMap.optional().meta({ description: 'Labels added to the pods.' }),
    annotations: textMap.optional().meta({ description: 'Annotations added to the pods.' }),
    env: envSchema.optional().meta({ description: 'Environment variables of the containers (core/v1 EnvVar).' }),
    envFrom: envFromSchema
      .optional()
      .meta({ description: 'Sources of environment variables (core/v1 EnvFromSource).' }),
  })
  .meta({ typeName: 'PodDefaults' });
