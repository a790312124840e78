import { z } from 'zod';
import type { DeepReadonly } from '../schema/deep-readonly';
import { objectMetaSchema } from '../schema/object-meta';
import { authSchema } from './auth';
import { bbrSchema } from './bbr';
import { endpointSchema } from './endpoint';
import { envoySchema } from './envoy';
import { observabilitySchema } from './observability';
import { overloadSchema } from './overload';
import { podDefaultsSchema } from './pod-defaults';
import { schedulerSchema } from './scheduler';
import { tlsSchema } from './tls';

const specSchema = z
  .strictObject({
    bbr: bbrSchema.meta({ description: 'The Body-Based Router, which reads the model from the body of a request.' }),
    tls: tlsSchema.optional().meta({
      description: 'HTTPS at the gateway. An empty object: a certificate is issued automatically.',
      // Server-side apply makes null of an object that it has emptied.
      nullable: true,
    }),
    endpoint: endpointSchema.prefault({}).meta({
      description: 'Where clients reach the gateway.',
      extension: true,
    }),
    envoy: envoySchema.prefault({}).meta({ description: 'The Envoy pods.', extension: true }),
    auth: authSchema.optional().meta({
      description:
        'Authentication of requests. Without it everybody who can reach the gateway can use it. Health checks need no token.',
    }),
    observability: observabilitySchema.prefault({}).meta({ description: 'Metrics and explanations.' }),
    podDefaults: podDefaultsSchema.optional().meta({ description: 'Settings of the router and picker pods.' }),
    overload: overloadSchema
      .prefault({})
      .meta({ description: 'What happens when no pod has room for a request.', extension: true }),
    schedulers: z
      .array(schedulerSchema)
      .min(1)
      .max(100)
      .meta({
        description: 'The models, each with its pods. Keyed by name.',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      }),
  })
  .meta({
    description: 'One gateway: its router, its certificate, who may use it, and its models.',
    typeName: 'InferenceGatewayConfigSpec',
  });

/** `InferenceGatewayConfig`. Closed: an unknown field is refused. */
export const inferenceGatewayConfigSchema = z.strictObject({
  apiVersion: z.literal('inference.sagemaker.aws.amazon.com/v1alpha1'),
  kind: z.literal('InferenceGatewayConfig'),
  metadata: objectMetaSchema,
  spec: specSchema,
  /** The controller's; a manifest that was read back from a cluster carries it, and nothing here reads it. */
  status: z.unknown().optional(),
});

/** With its defaults filled in. */
export type InferenceGatewayConfig = DeepReadonly<z.output<typeof inferenceGatewayConfigSchema>>;
