import { z } from 'zod';
import { durationSchema } from '../schema/duration';
import { labelSelectorSchema } from '../schema/label-selector';
import { labelNameSchema, objectNameSchema } from '../schema/object-meta';
import { flowControlSchema } from './flow-control';
import { envFromSchema, envSchema } from './pod-defaults';
import { retrySchema } from './retry';
import { schedulerProfileSchema, weightsSchema } from './scorer-weights';

/** A model or adapter name also travels as a header value: nothing that a header cannot carry. */
const modelNameSchema = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[^\p{Cc} ]([^\p{Cc}]*[^\p{Cc} ])?$/u)
  .meta({ expects: 'a model name without control characters and without a space at either end' });

const configMapRefSchema = z
  .strictObject({
    name: objectNameSchema.meta({ description: 'Name of a ConfigMap in the namespace of this object.' }),
    key: z.string().min(1).max(253).default('default-plugins.yaml').meta({ description: 'Key of its data to read.' }),
  })
  .meta({ typeName: 'ConfigMapRef' });

const modelRouting = {
  name: labelNameSchema.meta({
    description:
      'Name, unique in the list. The InferencePool, picker, HTTPRoute and EnvoyExtensionPolicy are named after it.',
  }),
  modelSelector: labelSelectorSchema.meta({
    description:
      'Which pods serve the model: a label selector with at least one requirement, for pods of the same namespace.',
  }),
  modelName: modelNameSchema.optional().meta({
    description:
      'The model that requests name to reach this scheduler, unique in the list. Required with several schedulers. An extension: the only scheduler may leave it out, and takes every model.',
  }),
  targetPort: z.int().min(1).max(65535).default(8000).meta({ description: 'Port on which the pods serve.' }),
  appProtocol: z
    .enum(['http', 'kubernetes.io/h2c'])
    .default('http')
    .meta({ description: 'Protocol that the pods speak.', typeName: 'AppProtocol' }),
  loraAdapters: z.array(modelNameSchema).max(50).optional().meta({ description: 'LoRA adapters of this model.' }),
  routeTimeout: durationSchema.optional().meta({
    description: 'Longest time that a request may take, as a Gateway API duration. `0s` turns it off.',
  }),
};

const endpointPicking = {
  scheduler: z
    .enum(['llm-d', 'epp'])
    .default('llm-d')
    .meta({ description: 'Type of endpoint picker.', typeName: 'SchedulerType' }),
  engineType: z.enum(['vllm', 'sglang', 'tgi', 'trtllm', 'triton']).default('vllm').meta({
    description:
      'Model server that runs in the pods: decides which metric names are read. `tgi`, `trtllm` and `triton` are extensions.',
    typeName: 'EngineType',
  }),
  weights: weightsSchema.optional().meta({
    description:
      'Weights of the scorers, relative to each other. All of them 0: every pod scores the same. Not with `configMapRef`.',
  }),
  profile: schedulerProfileSchema.optional().meta({
    description:
      'A named set of weights. `weights` wins over it. Absent, and no `weights`: `balanced`. Not with `configMapRef`.',
    extension: true,
  }),
  configMapRef: configMapRefSchema.optional().meta({
    description: 'A configuration for the picker, instead of weights. Not with `weights`.',
  }),
  replicas: z.int32().min(1).default(2).meta({ description: 'Number of picker pods; with several, one leads.' }),
  env: envSchema.optional().meta({ description: 'Environment variables added to the picker (core/v1 EnvVar).' }),
  envFrom: envFromSchema
    .optional()
    .meta({ description: 'Sources of environment variables added to the picker (core/v1 EnvFromSource).' }),
  logLevel: z.int().min(0).max(5).optional().meta({ description: 'How much the picker logs.' }),
};

const waitingAndRetrying = {
  flowControl: flowControlSchema.optional().meta({
    description:
      'Requests that no pod has room for wait in the gateway, by priority and tenant. Absent: none waits there. An empty object: all defaults.',
    extension: true,
  }),
  retry: retrySchema.optional().meta({
    description: 'When a request goes on to another pod. Absent: the defaults.',
    extension: true,
  }),
};

/** `spec.schedulers[]`. */
export const schedulerSchema = z
  .strictObject({ ...modelRouting, ...endpointPicking, ...waitingAndRetrying })
  .meta({ description: 'One model: how it is found, and how its pods are chosen.', typeName: 'SchedulerSpec' });
