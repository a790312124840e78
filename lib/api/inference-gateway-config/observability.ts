import { z } from 'zod';
import { durationSchema } from '../schema/duration';

const metricsSchema = z
  .strictObject({
    enabled: z.boolean().default(true).meta({
      description:
        'Adds an OpenTelemetry collector to the router and picker pods, where the installation names its image. The processes serve `/metrics` either way.',
    }),
  })
  .meta({ typeName: 'MetricsSpec' });

const explainSchema = z
  .strictObject({
    enabled: z.boolean().default(false).meta({
      description:
        'Lets a client that sends `x-gateway-explain: 1` read `x-gateway-decision`, the scores of the pods, and logs a sample of decisions.',
    }),
    logInterval: durationSchema.default('1s').meta({
      description:
        'Of each scheduler at most one decision in this time is logged, with all that it rests on; only with `enabled`. `0s`: none.',
    }),
  })
  .meta({ typeName: 'ExplainSpec' });

/** `spec.observability`. */
export const observabilitySchema = z
  .strictObject({
    metrics: metricsSchema.prefault({}).meta({ description: 'Metrics collection.' }),
    explain: explainSchema.prefault({}).meta({ description: 'Explained decisions.', extension: true }),
  })
  .meta({ typeName: 'ObservabilitySpec' });
