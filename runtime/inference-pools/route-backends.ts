import { POOL_GROUP, POOL_KIND } from '../../lib/api/pool-ref';
import { items, propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { backendReference } from './reference';

interface PoolName {
  readonly namespace: string;
  readonly name: string;
}

/** A backendRef of an HTTPRoute's rule. */
export interface RouteBackend {
  /** Absent where it refers to something else than an InferencePool. */
  readonly pool?: PoolName;
  readonly weight: number;
}

/** By index of the rule: what it leads to, in order. */
export type RouteBackends = readonly (readonly RouteBackend[])[];

/** Of an HTTPRoute, as the API server has it: the definition has been checked. */
export function routeBackends(route: KubernetesObject): RouteBackends {
  return items(propertyAt(route.spec, 'rules')).map((rule) =>
    items(propertyAt(rule, 'backendRefs')).map((value) => {
      const { group, kind, namespace, name } = backendReference(value, route);
      return {
        ...(group === POOL_GROUP && kind === POOL_KIND && { pool: { namespace, name } }),
        weight: Number(propertyAt(value, 'weight') ?? 1),
      };
    }),
  );
}
