import { parse } from 'yaml';
import type { Fault } from '../../api/validation/fault';
import { nearestName } from '../../api/validation/nearest-name';
import type { FlowControlState, ScorerWeights } from '../gateway-state';
import { readFlowControl } from './endpoint-picker-config/flow-control';
import { parameterNotes } from './endpoint-picker-config/parameters';
import { PLUGINS } from './endpoint-picker-config/plugins';
import { profileFaults, weightsOf } from './endpoint-picker-config/profiles';
import { referenceFaults, substitutions } from './endpoint-picker-config/references';
import { type EndpointPickerConfig, FEATURE_GATES, readConfig } from './endpoint-picker-config/schema';

export type ParsedPickerConfig =
  | {
      readonly weights: ScorerWeights;
      /** Absent where the file does not turn it on. */
      readonly flowControl?: FlowControlState;
      /** How long a request waits for the first pod, where the file says it. Milliseconds. */
      readonly emptyPoolHoldMs?: number;
      readonly warnings: readonly string[];
    }
  | { readonly faults: readonly Fault[] };

/**
 * What an `EndpointPickerConfig` asks for. A plugin, a parameter or a field by which the fleet would be balanced
 * otherwise than our picker does it is a fault, with the reason and what to use instead; what it does not follow, and
 * what changes no balance, is a warning.
 */
export function parseEndpointPickerConfig(text: string, scheduler: 'llm-d' | 'epp'): ParsedPickerConfig {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    return { faults: [{ path: [], message: `is not YAML: ${error instanceof Error ? error.message : error}` }] };
  }
  const read = readConfig(value);
  if ('faults' in read) return read;
  const { config } = read;
  const parameters = parameterNotes(config);
  const { flowControl, emptyPoolHoldMs, ...waiting } = readFlowControl(config);
  const faults = [
    ...pluginFaults(config, scheduler),
    ...parameters.faults,
    ...profileFaults(config),
    ...referenceFaults(config),
    ...waiting.faults,
  ];
  if (faults.length > 0) return { faults };
  return {
    weights: weightsOf(config),
    ...(flowControl && { flowControl }),
    ...(emptyPoolHoldMs !== undefined && { emptyPoolHoldMs }),
    warnings: [
      ...gateWarnings(config),
      ...parameters.warnings,
      ...substitutions(config),
      ...dataLayerWarnings(config),
      ...waiting.warnings,
    ],
  };
}

function pluginFaults(config: EndpointPickerConfig, scheduler: 'llm-d' | 'epp'): Fault[] {
  const names = new Set<string>();
  return config.plugins.flatMap(({ name: ownName, type }, index): Fault[] => {
    const name = ownName ?? type;
    const path = ['plugins', index];
    if (names.has(name)) return [{ path, message: `the name ${JSON.stringify(name)} is used twice: rename one` }];
    names.add(name);
    const plugin = PLUGINS.get(type);
    if (plugin === undefined) return [{ path: [...path, 'type'], message: unknownPlugin(type) }];
    if ('refused' in plugin) {
      return [{ path: [...path, 'type'], message: `this picker has no ${type}: ${plugin.refused}` }];
    }
    if ('scorer' in plugin && plugin.scorer === 'lru' && scheduler === 'epp') {
      return [{ path: [...path, 'type'], message: `${type} needs scheduler: llm-d` }];
    }
    return [];
  });
}

function unknownPlugin(type: string): string {
  const followed = [...PLUGINS].flatMap(([name, plugin]) => ('refused' in plugin ? [] : [name]));
  const near = nearestName(type, [...PLUGINS.keys()]);
  const advice = near === undefined ? `this picker has ${followed.join(', ')}` : `did you mean ${near}?`;
  return `${JSON.stringify(type)} is no plugin of the Gateway API Inference Extension nor of llm-d: ${advice}`;
}

function gateWarnings(config: EndpointPickerConfig): string[] {
  return (config.featureGates ?? []).flatMap((gate) => {
    const reason = FEATURE_GATES[gate];
    return reason === undefined ? [] : [`feature gate ${gate} has no effect: ${reason}`];
  });
}

function dataLayerWarnings({ dataLayer = {} }: EndpointPickerConfig): string[] {
  const noSource = dataLayer.sources?.length === 0 || (dataLayer.injectDefaults === false && !dataLayer.sources);
  const synced = (['crossReplicaSyncerPluginRef', 'crossReplicaSyncInterval', 'peerDiscovery'] as const).filter(
    (field) => dataLayer[field] !== undefined,
  );
  return [
    ...(noSource ? ['dataLayer names no source: the metrics of pods are read nevertheless'] : []),
    ...synced.map((field) => `dataLayer.${field} has no effect: replicas of this picker find each other by themselves`),
  ];
}
