import { z } from 'zod';

const metricsSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .meta({ description: 'Adds an OpenTelemetry collector to the router and picker pods.' }),
  })
  .meta({ typeName: 'MetricsSpec' });

const explainSchema = z
  .strictObject({
    enabled: z.boolean().default(false).meta({
      description:
        'Lets a client that sends `x-gateway-explain: 1` read `x-gateway-decision`: the scores of the pods, with their addresses.',
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
