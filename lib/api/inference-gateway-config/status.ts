import { z } from 'zod';
import type { DeepReadonly } from '../schema/deep-readonly';

const conditionSchema = z.strictObject({
  type: z.string().max(316).meta({ description: 'What the condition is about.' }),
  status: z.enum(['True', 'False', 'Unknown']).meta({ description: 'Whether it holds.' }),
  observedGeneration: z.int().min(0).optional().meta({ description: 'Generation that it was determined from.' }),
  lastTransitionTime: z.string().meta({ description: 'When `status` last changed.', format: 'date-time' }),
  reason: z.string().min(1).max(1024).meta({ description: 'One word for why.' }),
  message: z.string().max(32768).meta({ description: 'A sentence for people.' }),
});

const conditionsSchema = z
  .array(conditionSchema)
  .max(16)
  .optional()
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });

const schedulerStatusSchema = z.strictObject({
  name: z.string().max(63).meta({ description: 'Name of the scheduler.' }),
  conditions: conditionsSchema.meta({ description: 'State of this scheduler.' }),
  currentScheduler: z.string().optional().meta({ description: 'Type of endpoint picker in effect.' }),
  rolloutState: z
    .enum(['Pending', 'Progressing', 'Available', 'Degraded'])
    .optional()
    .meta({ description: 'How far the last change has come.' }),
});

const tlsStatusSchema = z.strictObject({
  acmArn: z.string().optional().meta({ description: 'ARN of the imported certificate.' }),
  issuedAt: z.string().optional().meta({ description: 'When it was issued.', format: 'date-time' }),
  dnsNames: z.array(z.string()).optional().meta({ description: 'Names that it is valid for.' }),
});

/** `status`: written by the controller, never read from a manifest. */
export const statusSchema = z.strictObject({
  observedGeneration: z.int().min(0).optional().meta({ description: 'Generation last reconciled.' }),
  conditions: conditionsSchema.meta({ description: 'State of the gateway.' }),
  schedulers: z
    .array(schedulerStatusSchema)
    .max(100)
    .optional()
    .meta({
      description: 'State of each scheduler.',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    }),
  tls: tlsStatusSchema.optional().meta({ description: 'The certificate, where it was issued automatically.' }),
});

/** `status`. */
export type GatewayStatus = DeepReadonly<z.output<typeof statusSchema>>;
