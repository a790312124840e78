import type { Fault } from '../../../api/validation/fault';
import type { ScorerWeights } from '../../gateway-state';
import { pluginOf, typeOf, undefinedPlugin } from './references';
import type { EndpointPickerConfig } from './schema';

/** Roles that a profile may name besides scorers. */
const IN_PROFILES: ReadonlySet<string> = new Set(['picker', 'profile handler', 'data producer']);

/** Faults of the scheduling profiles: our picker runs one, of scorers and the picker that it has. */
export function profileFaults(config: EndpointPickerConfig): Fault[] {
  const profiles = config.schedulingProfiles ?? [];
  if (profiles.length > 1) {
    return [{ path: ['schedulingProfiles', 1], message: 'this picker runs one profile: remove the others' }];
  }
  const seen = new Set<string>();
  return (profiles[0]?.plugins ?? []).flatMap(({ pluginRef, weight }, index): Fault[] => {
    const path = ['schedulingProfiles', 0, 'plugins', index];
    if (typeOf(config, pluginRef) === undefined) return [undefinedPlugin([...path, 'pluginRef'], pluginRef)];
    const plugin = pluginOf(config, pluginRef);
    if (plugin === undefined || 'refused' in plugin) return [];
    if (plugin.role !== 'scorer') {
      if (!IN_PROFILES.has(plugin.role)) {
        const message = `${JSON.stringify(pluginRef)} is a ${plugin.role}, by which this picker filters no pod: remove it here`;
        return [{ path: [...path, 'pluginRef'], message }];
      }
      if (weight !== undefined) {
        return [{ path: [...path, 'weight'], message: 'only a scorer has a weight: remove it' }];
      }
      if (plugin.role !== 'picker') return [];
      if (seen.has('picker')) return [{ path, message: 'a profile has one picker: remove this one' }];
      seen.add('picker');
      return [];
    }
    if (seen.has(plugin.scorer)) {
      return [{ path, message: `a second scorer of the same signal (${plugin.scorer}): remove one` }];
    }
    seen.add(plugin.scorer);
    return [];
  });
}

/** The weights of the profile. Without a profile every scorer that is defined counts, with weight 1. */
export function weightsOf(config: EndpointPickerConfig): ScorerWeights {
  const used =
    config.schedulingProfiles?.[0]?.plugins ??
    config.plugins.map((plugin) => ({ pluginRef: plugin.name ?? plugin.type, weight: undefined }));
  const weights = { queue: 0, kvCache: 0, prefix: 0, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 };
  for (const { pluginRef, weight } of used) {
    const plugin = pluginOf(config, pluginRef);
    if (plugin !== undefined && 'scorer' in plugin) weights[plugin.scorer] = weight ?? 1;
  }
  return weights;
}
