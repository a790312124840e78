import type { Fault, FieldPath } from '../../../api/validation/fault';
import { PLUGINS, type Plugin, type Role } from './plugins';
import type { EndpointPickerConfig } from './schema';

interface Reference {
  readonly path: FieldPath;
  readonly name: string;
  readonly role: Role;
}

/** The type of the plugin that a reference names; undefined where the file defines none of that name. */
export function typeOf(config: EndpointPickerConfig, name: string): string | undefined {
  return config.plugins.find((plugin) => (plugin.name ?? plugin.type) === name)?.type;
}

/** The plugin that a reference names. */
export function pluginOf(config: EndpointPickerConfig, name: string): Plugin | undefined {
  return PLUGINS.get(typeOf(config, name) ?? '');
}

export function undefinedPlugin(path: FieldPath, name: string): Fault {
  return { path, message: `${JSON.stringify(name)} is not among plugins: define it there` };
}

/** Faults of the references outside of profiles: each must lead to a plugin of its role. */
export function referenceFaults(config: EndpointPickerConfig): Fault[] {
  return references(config).flatMap(({ path, name, role }): Fault[] => {
    const plugin = pluginOf(config, name) ?? IMPLICIT.get(name);
    if (plugin === undefined) return typeOf(config, name) === undefined ? [undefinedPlugin(path, name)] : [];
    // A refused one is told of where it is defined.
    if ('refused' in plugin || plugin.role === role) return [];
    return [{ path, message: `${JSON.stringify(name)} is a ${plugin.role}, and no ${role}` }];
  });
}

/** What our picker does instead of what the plugins say, a line for each. */
export function substitutions(config: EndpointPickerConfig): string[] {
  return config.plugins.flatMap(({ name, type }) => {
    const plugin = PLUGINS.get(type);
    const instead = plugin !== undefined && 'instead' in plugin ? plugin.instead : undefined;
    return instead === undefined ? [] : [`plugin ${name ?? type}: ${instead}`];
  });
}

/** The picker adds them by itself where a file defines none, so that they can be named. */
const IMPLICIT: ReadonlyMap<string, Plugin> = new Map(
  [
    'fcfs-ordering-policy',
    'global-strict-fairness-policy',
    'static-usage-limit-policy',
    'utilization-detector',
  ].flatMap((type) => {
    const plugin = PLUGINS.get(type);
    return plugin === undefined ? [] : [[type, plugin] as const];
  }),
);

function references({ dataLayer, flowControl, ...config }: EndpointPickerConfig): Reference[] {
  const one = (path: FieldPath, name: string | undefined, role: Role): Reference[] =>
    name === undefined || name === '' ? [] : [{ path, name, role }];
  return [
    ...(dataLayer?.sources ?? []).flatMap((source, index) => {
      const path = ['dataLayer', 'sources', index];
      return [
        ...one([...path, 'pluginRef'], source.pluginRef, 'data source'),
        ...(source.extractors ?? []).flatMap((extractor, at) =>
          one([...path, 'extractors', at, 'pluginRef'], extractor.pluginRef, 'extractor'),
        ),
      ];
    }),
    ...one(['saturationDetector', 'pluginRef'], config.saturationDetector?.pluginRef, 'saturation detector'),
    ...one(['parser', 'pluginRef'], config.parser?.pluginRef, 'parser'),
    ...(config.requestHandler?.parsers ?? []).flatMap(({ pluginRef }, index) =>
      one(['requestHandler', 'parsers', index, 'pluginRef'], pluginRef, 'parser'),
    ),
    ...one(
      ['flowControl', 'saturationDetector', 'pluginRef'],
      flowControl?.saturationDetector?.pluginRef,
      'saturation detector',
    ),
    ...one(['flowControl', 'usageLimitPolicyPluginRef'], flowControl?.usageLimitPolicyPluginRef, 'usage limit policy'),
    ...bandsOf(flowControl).flatMap(({ path, band }) => [
      ...one([...path, 'fairnessPolicyRef'], band.fairnessPolicyRef, 'fairness policy'),
      ...one([...path, 'orderingPolicyRef'], band.orderingPolicyRef, 'ordering policy'),
    ]),
  ];
}

type FlowControl = NonNullable<EndpointPickerConfig['flowControl']>;

function bandsOf(flowControl: FlowControl | undefined) {
  const { priorityBands = [], defaultPriorityBand, defaultNegativePriorityBand } = flowControl ?? {};
  return [
    ...priorityBands.map((band, index) => ({ path: ['flowControl', 'priorityBands', index], band })),
    ...(defaultPriorityBand ? [{ path: ['flowControl', 'defaultPriorityBand'], band: defaultPriorityBand }] : []),
    ...(defaultNegativePriorityBand
      ? [{ path: ['flowControl', 'defaultNegativePriorityBand'], band: defaultNegativePriorityBand }]
      : []),
  ];
}
