import type { InferenceGatewayConfig } from '../inference-gateway-config/inference-gateway-config';
import type { GatewayObject } from '../kinds';
import type { Fault } from './fault';

/** A fault that shows only beside other objects. */
export interface ObjectFault extends Fault {
  /** Which of the objects. */
  readonly index: number;
}

/** What is wrong between valid objects: duplicates, and names that lead two ways. */
export function validateObjects(objects: readonly GatewayObject[]): ObjectFault[] {
  const entries = [...objects.entries()];
  const configs = entries.flatMap(([index, object]) =>
    object.kind === 'InferenceGatewayConfig' ? [{ index, config: object }] : [],
  );
  return [...repeatedObjects(objects), ...repeatedSchedulers(configs)];
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
