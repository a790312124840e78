import type { Resource } from '../../../runtime/kubernetes/api-client';
import { RESOURCES } from '../../../runtime/kubernetes/resources';

export interface RequestTarget {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  /** Undefined: all of them. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** What a path of the API is about; undefined: nothing that is known. */
export function requestTarget(path: string): RequestTarget | undefined {
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  const [root, ...rest] = parts;
  const [group, version] = root === 'api' ? ['', rest.shift()] : [rest.shift(), rest.shift()];
  const find = (plural: string | undefined) =>
    RESOURCES.find((one) => one.group === group && one.version === version && one.plural === plural);
  if (rest[0] === 'namespaces' && rest.length > 2) {
    const [, namespace, plural, name, subresource] = rest;
    const resource = find(plural);
    return resource && { resource, namespace, name, subresource };
  }
  const [plural, name, subresource] = rest;
  const resource = find(plural);
  return resource && { resource, namespace: undefined, name, subresource };
}
