import type { InferenceGatewayConfig } from '../inference-gateway-config/inference-gateway-config';
import type { InferenceModelRewrite } from '../inference-model-rewrite';
import type { GatewayObject } from '../kinds';
import type { Fault } from './fault';

/** A fault that shows only beside other objects. */
export interface ObjectFault extends Fault {
  /** Which of the objects. */
  readonly index: number;
}

/** What is wrong between valid objects: duplicates, names that lead two ways, references that lead nowhere. */
export function validateObjects(objects: readonly GatewayObject[]): ObjectFault[] {
  const entries = [...objects.entries()];
  const configs = entries.flatMap(([index, object]) =>
    object.kind === 'InferenceGatewayConfig' ? [{ index, config: object }] : [],
  );
  const rewrites = entries.flatMap(([index, object]) =>
    object.kind === 'InferenceModelRewrite' ? [{ index, rewrite: object }] : [],
  );
  return [
    ...repeatedObjects(objects),
    ...repeatedSchedulers(configs),
    ...rewrites.flatMap(({ index, rewrite }) => lostReference(index, rewrite, configs)),
  ];
}

interface IndexedConfig {
  readonly index: number;
  readonly config: InferenceGatewayConfig;
}

function repeatedObjects(objects: readonly GatewayObject[]): ObjectFault[] {
  const seen = new Set<string>();
  return objects.flatMap((object, index) => {
    const group = object.apiVersion.includes('/') ? object.apiVersion.slice(0, object.apiVersion.indexOf('/')) : '';
    const id = [group, object.kind, object.metadata.namespace, object.metadata.name].join(' ');
    if (!seen.has(id)) {
      seen.add(id);
      return [];
    }
    const name = `${object.metadata.namespace}/${object.metadata.name}`;
    return [
      { index, path: ['metadata', 'name'], message: `${object.kind} ${name} is defined twice: remove or rename one` },
    ];
  });
}

/** Repeats within one object are its own rules' business; an object that is there twice is reported once, above. */
function repeatedSchedulers(configs: readonly IndexedConfig[]): ObjectFault[] {
  const owners = new Map<string, InferenceGatewayConfig>();
  return configs.flatMap(({ index, config }) =>
    config.spec.schedulers.flatMap(({ name }, position) => {
      const key = `${config.metadata.namespace} ${name}`;
      const owner = owners.get(key) ?? config;
      owners.set(key, owner);
      if (owner.metadata.name === config.metadata.name) return [];
      const message =
        'scheduler names must be unique in a namespace, because an InferencePool is named after each: rename one';
      const detail = `${JSON.stringify(name)} is also in InferenceGatewayConfig ${owner.metadata.name}`;
      return [{ index, path: ['spec', 'schedulers', position, 'name'], message: `${message} (${detail})` }];
    }),
  );
}

/** Silent when no InferenceGatewayConfig of the namespace is at hand: a rewrite may be checked by itself. */
function lostReference(
  index: number,
  rewrite: InferenceModelRewrite,
  configs: readonly IndexedConfig[],
): ObjectFault[] {
  const { poolRef } = rewrite.spec;
  if (poolRef.kind !== 'InferencePool') {
    return [
      {
        index,
        path: ['spec', 'poolRef', 'kind'],
        message: `must be InferencePool; got ${JSON.stringify(poolRef.kind)}`,
      },
    ];
  }
  const neighbours = configs.filter(({ config }) => config.metadata.namespace === rewrite.metadata.namespace);
  const schedulers = neighbours.flatMap(({ config }) => config.spec.schedulers.map(({ name }) => name));
  if (neighbours.length === 0 || schedulers.includes(poolRef.name)) return [];
  const message = `names no scheduler of namespace ${rewrite.metadata.namespace}; there are ${schedulers.join(', ')}`;
  return [{ index, path: ['spec', 'poolRef', 'name'], message }];
}
