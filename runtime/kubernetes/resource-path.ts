import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { Resource } from './api-client';

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** As logs and errors name a kind: `gateways.gateway.networking.k8s.io`. */
export function resourceName({ group, plural }: Resource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** Of all objects of the kind; without a namespace: of all namespaces. */
export function collectionPath(resource: Resource, namespace: string | undefined): string {
  const { group, version, plural, namespaced } = resource;
  const root = group === '' ? ['api', version] : ['apis', group, version];
  const within = namespaced && namespace !== undefined ? ['namespaces', part(namespace, 'namespace')] : [];
  return `/${[...root, ...within, plural].join('/')}`;
}

/** Throws where a namespaced object has no namespace, or a name could reach another path. */
export function objectPath(
  resource: Resource,
  name: string,
  namespace: string | undefined,
  subresource?: string,
): string {
  if (resource.namespaced && namespace === undefined) {
    throw new TypeError(`metadata.namespace of ${resource.kind} ${name} is missing: say in which namespace it is`);
  }
  const path = `${collectionPath(resource, namespace)}/${part(name, 'name')}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export function pathOf(resource: Resource, object: KubernetesObject, subresource?: string): string {
  return objectPath(resource, object.metadata.name, object.metadata.namespace, subresource);
}

function part(text: string, field: string): string {
  if (text === '' || text === '.' || text === '..') throw new TypeError(`metadata.${field} "${text}" is not a name`);
  return encodeURIComponent(text);
}
