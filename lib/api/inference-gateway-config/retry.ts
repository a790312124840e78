import { z } from 'zod';

/** `spec.schedulers[].retry`. */
export const retrySchema = z
  .strictObject({
    attempts: z.int().min(0).max(2).default(2).meta({
      description:
        'Further pods that a request goes on to when one fails before it has sent response headers. 0: none.',
      extension: true,
    }),
    afterDispatch: z.boolean().default(true).meta({
      description:
        'Also where the connection broke after the request was sent: the model may then have begun to generate twice. When false, only where the pod cannot have begun.',
      extension: true,
    }),
  })
  .meta({ typeName: 'RetrySpec' });
