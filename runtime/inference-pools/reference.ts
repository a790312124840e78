import { property, textOf } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

export const GATEWAY_API = 'gateway.networking.k8s.io';

/** An object as another one names it, with what is not said filled in. */
export interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name`. */
export function nameOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ''}/${name}`;
}

/** What a route, or the status of one, names as its parent. */
export function parentReference(value: unknown, { metadata }: KubernetesObject): Reference {
  return reference(value, GATEWAY_API, 'Gateway', metadata.namespace);
}

/** What a rule of a route sends requests to. */
export function backendReference(value: unknown, { metadata }: KubernetesObject): Reference {
  return reference(value, '', 'Service', metadata.namespace);
}

export function isSameReference(a: Reference, b: Reference): boolean {
  return a.group === b.group && a.kind === b.kind && nameOf(a) === nameOf(b);
}

function reference(value: unknown, group: string, kind: string, namespace = ''): Reference {
  const said = (name: string) => textOf(property(value, name));
  return {
    group: said('group') ?? group,
    kind: said('kind') ?? kind,
    namespace: said('namespace') ?? namespace,
    name: said('name') ?? '',
  };
}
