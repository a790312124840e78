import { parse } from 'yaml';
import { z } from 'zod';
import type { DeepReadonly } from './schema/deep-readonly';
import { looseObjectMetaSchema } from './schema/object-meta';
import { property, propertyAt, textOf } from './validation/loose';
import type { Rule } from './validation/rule';

/** What we read of a core/v1 ConfigMap. The rest is passed over. */
export const configMapSchema = z.looseObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('ConfigMap'),
  metadata: looseObjectMetaSchema,
  data: z.record(z.string(), z.string()).optional(),
});

export type ConfigMap = DeepReadonly<z.output<typeof configMapSchema>>;

/** A ConfigMap with this label set to `true` lists the LoRA adapters of a base model. */
export const BBR_MANAGED_LABEL = 'inference.networking.k8s.io/bbr-managed';

/** LoRA adapters of a base model; trimmed, unique, in the order listed. */
export interface AdapterList {
  readonly baseModel: string;
  readonly adapters: readonly string[];
}

/** The adapters that a ConfigMap lists; undefined when it is not labelled for it, or when its data are not as the rules say. */
export function adapterList(configMap: ConfigMap): AdapterList | undefined {
  if (!isBbrManaged(configMap)) return undefined;
  const baseModel = configMap.data?.baseModel?.trim() ?? '';
  const adapters = parseAdapters(configMap.data?.adapters);
  return baseModel === '' || adapters === undefined ? undefined : { baseModel, adapters };
}

/** Rules on ConfigMaps that are labelled for the router. */
export const CONFIG_MAP_RULES: readonly Rule[] = [
  {
    name: 'bbr-managed-base-model',
    at: [],
    message: `data.baseModel must name the base model, because the label ${BBR_MANAGED_LABEL} is "true"`,
    cel: { absentBecause: 'ConfigMap is a core kind' },
    extension: false,
    violations: (root) => {
      const baseModel = propertyAt(root, 'data', 'baseModel');
      const absent = baseModel === undefined || textOf(baseModel)?.trim() === '';
      return isBbrManaged(root) && absent ? [{ path: ['data', 'baseModel'] }] : [];
    },
  },
  {
    name: 'bbr-managed-adapters',
    at: [],
    message: 'data.adapters must be a YAML list of adapter names, as "- name" on a line each',
    cel: { absentBecause: 'ConfigMap is a core kind' },
    extension: false,
    violations: (root) => {
      const adapters = propertyAt(root, 'data', 'adapters');
      const readable = adapters === undefined || typeof adapters === 'string';
      return isBbrManaged(root) && readable && parseAdapters(adapters) === undefined
        ? [{ path: ['data', 'adapters'] }]
        : [];
    },
  },
];

function isBbrManaged(root: unknown): boolean {
  return property(propertyAt(root, 'metadata', 'labels'), BBR_MANAGED_LABEL) === 'true';
}

function parseAdapters(text: string | undefined): string[] | undefined {
  if (text === undefined || text.trim() === '') return [];
  let list: unknown;
  try {
    list = parse(text, { schema: 'failsafe' });
  } catch {
    return undefined;
  }
  if (!Array.isArray(list)) return undefined;
  const names = list.map((name) => (typeof name === 'string' ? name.trim() : ''));
  return names.includes('') ? undefined : [...new Set(names)];
}
