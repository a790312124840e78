import { parse } from 'yaml';
import { z } from 'zod';
import type { Fault } from '../../api/validation/fault';
import type { ScorerWeights } from '../gateway-state';

/** Scorers of the endpoint picker, by plugin type. */
const SCORERS: Readonly<Record<string, keyof ScorerWeights>> = {
  'queue-scorer': 'queue',
  'kv-cache-utilization-scorer': 'kvCache',
  'prefix-cache-scorer': 'prefix',
  'no-hit-lru-scorer': 'lru',
  'lora-affinity-scorer': 'loraAffinity',
  'running-requests-size-scorer': 'runningRequests',
  'latency-scorer': 'predictedLatency',
  'predicted-latency-scorer': 'predictedLatency',
};

/** What our picker always does; naming it changes nothing. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'max-score-picker',
  'single-profile-handler',
  'approx-prefix-cache-producer',
  'predicted-latency-producer',
  'metrics-data-source',
  'core-metrics-extractor',
]);

const pluginRef = z.string().min(1);

const configSchema = z.strictObject({
  apiVersion: z.enum(['inference.networking.x-k8s.io/v1alpha1', 'llm-d.ai/v1alpha1']),
  kind: z.literal('EndpointPickerConfig'),
  featureGates: z.array(z.literal('dataLayer')).optional(),
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
        plugins: z.array(z.strictObject({ pluginRef, weight: z.number().min(0).optional() })),
      }),
    )
    .optional(),
  dataLayer: z
    .strictObject({
      sources: z
        .array(z.strictObject({ pluginRef, extractors: z.array(z.strictObject({ pluginRef })).optional() }))
        .optional(),
    })
    .optional(),
});

type EndpointPickerConfig = z.output<typeof configSchema>;

export type ParsedPickerConfig =
  | { readonly weights: ScorerWeights; readonly warnings: readonly string[] }
  | { readonly faults: readonly Fault[] };

/**
 * The weights that an `EndpointPickerConfig` asks for. Strict: a plugin or a field that our picker does not follow is a
 * fault, because the fleet would be balanced by other rules than the file says.
 */
export function parseEndpointPickerConfig(text: string, scheduler: 'llm-d' | 'epp'): ParsedPickerConfig {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return { faults: [{ path: [], message: `is not YAML: ${error instanceof Error ? error.message : error}` }] };
  }
  const result = configSchema.safeParse(value);
  if (!result.success) return { faults: result.error.issues.flatMap(schemaFaults) };
  const faults = [
    ...pluginFaults(result.data, scheduler),
    ...profileFaults(result.data),
    ...dataLayerFaults(result.data),
  ];
  return faults.length > 0 ? { faults } : { weights: weightsOf(result.data), warnings: warningsOf(result.data) };
}

function schemaFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    message: 'this picker does not follow the field: remove it',
  }));
}

function pluginFaults(config: EndpointPickerConfig, scheduler: 'llm-d' | 'epp'): Fault[] {
  const known = [...Object.keys(SCORERS), ...BUILT_IN];
  const names = new Set<string>();
  return config.plugins.flatMap((plugin, index): Fault[] => {
    const name = plugin.name ?? plugin.type;
    const path = ['plugins', index];
    if (names.has(name)) return [{ path, message: `the name ${JSON.stringify(name)} is used twice: rename one` }];
    names.add(name);
    if (!known.includes(plugin.type)) {
      const message = `this picker has no plugin ${JSON.stringify(plugin.type)}: it has ${known.join(', ')}`;
      return [{ path: [...path, 'type'], message }];
    }
    if (SCORERS[plugin.type] === 'lru' && scheduler === 'epp') {
      return [{ path: [...path, 'type'], message: `${plugin.type} needs scheduler: llm-d` }];
    }
    return [];
  });
}

function profileFaults(config: EndpointPickerConfig): Fault[] {
  const profiles = config.schedulingProfiles ?? [];
  if (profiles.length > 1) {
    return [{ path: ['schedulingProfiles', 1], message: 'this picker runs one profile: remove the others' }];
  }
  const seen = new Set<keyof ScorerWeights>();
  return (profiles[0]?.plugins ?? []).flatMap(({ pluginRef, weight }, index): Fault[] => {
    const path = ['schedulingProfiles', 0, 'plugins', index];
    const type = typeOf(config, pluginRef);
    if (type === undefined) return [undefinedPlugin([...path, 'pluginRef'], pluginRef)];
    const scorer = SCORERS[type];
    if (scorer === undefined) {
      return weight === undefined
        ? []
        : [{ path: [...path, 'weight'], message: 'only a scorer has a weight: remove it' }];
    }
    if (seen.has(scorer)) return [{ path, message: `a second scorer of the same signal (${scorer}): remove one` }];
    seen.add(scorer);
    return [];
  });
}

function dataLayerFaults(config: EndpointPickerConfig): Fault[] {
  return (config.dataLayer?.sources ?? []).flatMap((source, index) => {
    const path = ['dataLayer', 'sources', index];
    const references = [
      { path: [...path, 'pluginRef'], name: source.pluginRef },
      ...(source.extractors ?? []).map((extractor, at) => ({
        path: [...path, 'extractors', at, 'pluginRef'],
        name: extractor.pluginRef,
      })),
    ];
    return references
      .filter(({ name }) => typeOf(config, name) === undefined)
      .map((one) => undefinedPlugin(one.path, one.name));
  });
}

/** Without a profile every scorer that is defined counts, with weight 1. */
function weightsOf(config: EndpointPickerConfig): ScorerWeights {
  const used =
    config.schedulingProfiles?.[0]?.plugins ??
    config.plugins.map((plugin) => ({ pluginRef: plugin.name ?? plugin.type, weight: undefined }));
  const weights = { queue: 0, kvCache: 0, prefix: 0, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 };
  for (const { pluginRef, weight } of used) {
    const scorer = SCORERS[typeOf(config, pluginRef) ?? ''];
    if (scorer !== undefined) weights[scorer] = weight ?? 1;
  }
  return weights;
}

function warningsOf(config: EndpointPickerConfig): string[] {
  return config.plugins
    .filter(({ parameters }) => Object.keys(parameters ?? {}).length > 0)
    .map(({ name, type }) => `the parameters of plugin ${name ?? type} have no effect in this picker`);
}

function typeOf(config: EndpointPickerConfig, name: string): string | undefined {
  return config.plugins.find((plugin) => (plugin.name ?? plugin.type) === name)?.type;
}

function undefinedPlugin(path: Fault['path'], name: string): Fault {
  return { path, message: `${JSON.stringify(name)} is not among plugins: define it there` };
}
