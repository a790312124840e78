import type { KubernetesObject } from './kubernetes-object';

/** `Kind.group namespace/name`: two objects with one key cannot both be, whatever their API versions. */
export function objectKey({ apiVersion, kind, metadata }: KubernetesObject): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return `${kind}.${group} ${metadata.namespace ?? ''}/${metadata.name}`;
}

/** By kind, namespace and name. */
export function byKey(a: KubernetesObject, b: KubernetesObject): number {
  return objectKey(a) < objectKey(b) ? -1 : 1;
}
