import type { V1ConfigMap, V1Secret } from '@kubernetes/client-node';
import type { Informer } from '../api/informer';

/** Something that a container needs is not there yet: to be tried again. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
}

/** The data of Secrets and ConfigMaps, by key. */
export interface Lookup {
  secret(namespace: string, name: string): ReadonlyMap<string, Buffer> | undefined;
  configMap(namespace: string, name: string): ReadonlyMap<string, Buffer> | undefined;
}

export function lookupIn(secrets: Informer<V1Secret>, configMaps: Informer<V1ConfigMap>): Lookup {
  return {
    secret(namespace, name) {
      const secret = secrets.get(`${namespace}/${name}`);
      return secret && entries(secret.data, 'base64');
    },
    configMap(namespace, name) {
      const configMap = configMaps.get(`${namespace}/${name}`);
      return configMap && new Map([...entries(configMap.data, 'utf8'), ...entries(configMap.binaryData, 'base64')]);
    },
  };
}

function entries(data: Readonly<Record<string, string>> | undefined, encoding: 'base64' | 'utf8'): Map<string, Buffer> {
  return new Map(Object.entries(data ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}

/** Which Secret or ConfigMap is meant. */
export interface Reference {
  readonly kind: 'secret' | 'configMap';
  readonly namespace: string;
  readonly name: string;
  readonly optional: boolean;
}

/** Its data, empty where it is optional and not there. Throws NotYet. */
export function dataOf(lookup: Lookup, { kind, namespace, name, optional }: Reference): ReadonlyMap<string, Buffer> {
  const data = lookup[kind](namespace, name);
  if (data !== undefined) return data;
  if (optional) return new Map();
  throw new NotYet(`${kind} "${name}" not found`);
}
