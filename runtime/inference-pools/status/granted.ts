import { POOL_GROUP, POOL_KIND } from '../../../lib/api/pool-ref';
import { items, property, propertyAt } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { GATEWAY_API, type Reference } from '../reference';

/** Whether HTTPRoutes of a namespace may name the pool. */
export type IsGranted = (namespace: string, pool: Reference) => boolean;

/** Whether a ReferenceGrant is about HTTPRoutes, and whether it is about InferencePools. */
export function isFromRoute(from: unknown): boolean {
  return property(from, 'group') === GATEWAY_API && property(from, 'kind') === 'HTTPRoute';
}

export function isToPool(to: unknown): boolean {
  return property(to, 'group') === POOL_GROUP && property(to, 'kind') === POOL_KIND;
}

export function grantedBy(grants: readonly KubernetesObject[]): IsGranted {
  const byNamespace = Map.groupBy(grants, ({ metadata }) => metadata.namespace ?? '');
  return (namespace, pool) =>
    namespace === pool.namespace ||
    (byNamespace.get(pool.namespace) ?? []).some(
      ({ spec }) =>
        items(propertyAt(spec, 'from')).some(
          (from) => isFromRoute(from) && property(from, 'namespace') === namespace,
        ) && items(propertyAt(spec, 'to')).some((to) => isToPool(to) && isAbout(to, pool.name)),
    );
}

/** Without a name it is about all of the namespace. */
function isAbout(to: unknown, name: string): boolean {
  const said = property(to, 'name') ?? '';
  return said === '' || said === name;
}
