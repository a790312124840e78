import { z } from 'zod';
import { objectNameSchema } from '../schema/object-meta';

const dnsNameSchema = z
  .string()
  .max(253)
  .regex(/^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/)
  .meta({ expects: 'a DNS name in lower case, such as llm.example.com or *.example.com' });

const issuerRefSchema = z
  .strictObject({
    name: objectNameSchema.meta({ description: 'Name of the issuer.' }),
    kind: z.enum(['ClusterIssuer', 'Issuer']).default('ClusterIssuer').meta({
      description:
        'Kind of the issuer. An `Issuer` must be in the namespace of the controller, where the certificate is.',
      typeName: 'IssuerKind',
    }),
    group: z
      .string()
      .min(1)
      .max(253)
      .default('cert-manager.io')
      .meta({ description: 'API group of the issuer, where it is of another project.' }),
  })
  .meta({ typeName: 'IssuerRef' });

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
    dnsNames: z.array(dnsNameSchema).max(64).optional().meta({
      description:
        'Further names that the issued certificate is valid for, besides those of the cluster and of the load balancer. Not with `acmArn`.',
      extension: true,
    }),
    issuerRef: issuerRefSchema.optional().meta({
      description:
        'Issuer of cert-manager that issues the certificate. Absent: an authority of this gateway alone. Not with `acmArn`.',
      extension: true,
    }),
  })
  .meta({ typeName: 'TlsSpec' });
