import { z } from 'zod';
import { labelNameSchema } from '../schema/object-meta';

/** 256 MiB: the most that `spec.bbr.maxRequestBodyBytes` can allow. */
export const MAX_REQUEST_BODY_BYTES = 268_435_456;

const defaultBackendSchema = z
  .strictObject({
    name: labelNameSchema.meta({ description: 'Name of a Service in the namespace of this object.' }),
    port: z.int().min(1).max(65535).default(8000).meta({ description: 'Port of the Service.' }),
  })
  .meta({ typeName: 'DefaultBackend' });

/** `spec.bbr`. */
export const bbrSchema = z
  .strictObject({
    enabled: z.boolean().meta({
      description:
        'Whether requests are routed by the model they name. Must be true with more than one scheduler; when false, the only scheduler gets every request.',
    }),
    replicas: z.int32().min(1).default(2).meta({ description: 'Number of Body-Based Router pods.' }),
    defaultBackend: defaultBackendSchema.optional().meta({
      description: 'Where requests for a model that no scheduler serves go. Without it they are answered with 404.',
    }),
    maxRequestBodyBytes: z
      .int()
      .min(1)
      .max(MAX_REQUEST_BODY_BYTES)
      .default(MAX_REQUEST_BODY_BYTES)
      .meta({ description: 'Largest request body, in bytes. A larger one is answered with 413.' }),
  })
  .meta({ typeName: 'BodyBasedRouterSpec' });
