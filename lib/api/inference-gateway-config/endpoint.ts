import { z } from 'zod';

const text = z.string();

/** `spec.endpoint`. */
export const endpointSchema = z
  .strictObject({
    type: z.enum(['nlb', 'alb', 'clusterIP']).optional().meta({
      description:
        'How clients reach the gateway: an internal Network Load Balancer that passes TLS through to Envoy, an internal Application Load Balancer, or a Service inside the cluster. Absent: `alb` with `tls.acmArn`, `clusterIP` with `targetGroupArn`, else `nlb`.',
      extension: true,
      typeName: 'EndpointType',
    }),
    targetGroupArn: z
      .string()
      .max(2048)
      .regex(/^arn:[^:]+:elasticloadbalancing:[^:]*:[^:]*:targetgroup\/.+$/)
      .optional()
      .meta({
        description:
          'Target group (IP targets, HTTPS or TLS) of a load balancer that is there already: the Envoys become its targets, and none is made. Its health check must be HTTPS on `/healthz`. Not with `type` `nlb` or `alb`.',
        expects: 'the ARN of a target group (arn:aws:elasticloadbalancing:REGION:ACCOUNT:targetgroup/NAME/ID)',
        extension: true,
      }),
    annotations: z.record(text, text).optional().meta({
      description:
        'Annotations of the object that makes the load balancer (a Service, or an Ingress for `alb`): subnets, security groups. They win over those of the gateway.',
      extension: true,
    }),
  })
  .meta({ typeName: 'EndpointSpec' });
