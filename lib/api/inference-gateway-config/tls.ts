import { z } from 'zod';

/** `spec.tls`. */
export const tlsSchema = z
  .strictObject({
    acmArn: z
      .string()
      .max(2048)
      .regex(/^(arn:[^:]+:acm:[^:]*:[^:]*:certificate\/.+)?$/)
      .optional()
      .meta({
        description:
          'ARN of an ACM certificate. Empty or absent: a certificate is issued by cert-manager and imported into ACM.',
        expects: 'the ARN of an ACM certificate (arn:aws:acm:REGION:ACCOUNT:certificate/ID) or empty',
      }),
  })
  .meta({ typeName: 'TlsSpec' });
