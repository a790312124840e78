import { z } from 'zod';
import type { Fault } from '../../../api/validation/fault';
import { nearestName } from '../../../api/validation/nearest-name';

/** What each gate does here; undefined where it does what it says. */
export const FEATURE_GATES: Readonly<Record<string, string | undefined>> = {
  flowControl: undefined,
  dataLayer: undefined,
  enableLegacyMetrics: 'the metrics of this gateway have the same names with and without it',
  haPopulateNonLeaderDatastore: 'every replica of this picker follows the objects',
};

const pluginRef = z.string().min(1);
const reference = z.strictObject({ pluginRef });
/** A quantity; 0 and "0" say that there is no limit. */
const quantity = z.union([z.number().min(0), z.string()]);
const priority = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);
/** Go's form of a duration. */
const duration = z.string();

const priorityBand = z.strictObject({
  priority,
  maxBytes: quantity.optional(),
  maxRequests: quantity.optional(),
  fairnessPolicyRef: z.string().optional(),
  orderingPolicyRef: z.string().optional(),
});
const templateBand = priorityBand.extend({ priority: priority.optional() });

const flowControl = z.strictObject({
  maxBytes: quantity.optional(),
  maxRequests: quantity.optional(),
  defaultRequestTTL: duration.optional(),
  noEndpointRequestTTL: duration.optional(),
  defaultPriorityBand: templateBand.optional(),
  defaultNegativePriorityBand: templateBand.optional(),
  priorityBands: z.array(priorityBand).optional(),
  usageLimitPolicyPluginRef: z.string().optional(),
  saturationDetector: reference.optional(),
  enableEviction: z.boolean().optional(),
});

const configSchema = z.strictObject({
  apiVersion: z.enum(['inference.networking.x-k8s.io/v1alpha1', 'llm-d.ai/v1alpha1']),
  kind: z.literal('EndpointPickerConfig'),
  featureGates: z.array(z.string()).optional(),
  plugins: z.array(
    z.strictObject({
      name: z.string().min(1).optional(),
      type: z.string().min(1),
      parameters: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
  schedulingProfiles: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        plugins: z.array(reference.extend({ weight: z.number().min(0).optional() })),
      }),
    )
    .optional(),
  saturationDetector: reference.partial().optional(),
  dataLayer: z
    .strictObject({
      injectDefaults: z.boolean().optional(),
      sources: z.array(reference.extend({ extractors: z.array(reference).optional() })).optional(),
      crossReplicaSyncerPluginRef: z.string().optional(),
      crossReplicaSyncInterval: duration.optional(),
      peerDiscovery: reference.optional(),
    })
    .optional(),
  flowControl: flowControl.optional(),
  parser: reference.optional(),
  requestHandler: z.strictObject({ parsers: z.array(reference).optional() }).optional(),
});

/** An `EndpointPickerConfig` as it is written; nothing is filled in. */
export type EndpointPickerConfig = z.output<typeof configSchema>;

/** The file as an `EndpointPickerConfig`, or every field that is not as the kind says. */
export function readConfig(value: unknown): { config: EndpointPickerConfig } | { faults: readonly Fault[] } {
  const result = configSchema.safeParse(value);
  if (!result.success) return { faults: result.error.issues.flatMap(schemaFaults) };
  const faults = (result.data.featureGates ?? []).flatMap((gate, index): Fault[] => {
    const gates = Object.keys(FEATURE_GATES);
    if (gates.includes(gate)) return [];
    const near = nearestName(gate, gates);
    const advice = near === undefined ? `the gates are ${gates.join(', ')}` : `did you mean ${near}?`;
    return [{ path: ['featureGates', index], message: `${JSON.stringify(gate)} is no feature gate: ${advice}` }];
  });
  return faults.length > 0 ? { faults } : { config: result.data };
}

/** Fields of the kind that are refused although they are spelt well. */
const REFUSED_FIELDS: Readonly<Record<string, string>> = {
  'dataLayer.discovery': 'the pods of a scheduler are those that its modelSelector selects: remove it',
};

function schemaFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    message: REFUSED_FIELDS[[...path, key].join('.')] ?? 'an EndpointPickerConfig has no such field: remove it',
  }));
}
