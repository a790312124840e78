import { POOL_GROUP, POOL_KIND } from '../../lib/api/pool-ref';

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

export interface HttpRouteObject {
  readonly metadata: { readonly namespace: string };
  readonly spec?: {
    readonly rules?: readonly {
      readonly backendRefs?: readonly {
        readonly group?: string;
        readonly kind?: string;
        readonly namespace?: string;
        readonly name: string;
        readonly weight?: number;
      }[];
    }[];
  };
}

export function routeBackends({ metadata, spec }: HttpRouteObject): RouteBackends {
  return (spec?.rules ?? []).map(({ backendRefs = [] }) =>
    backendRefs.map(({ group = '', kind = 'Service', namespace = metadata.namespace, name, weight = 1 }) => ({
      ...(group === POOL_GROUP && kind === POOL_KIND && { pool: { namespace, name } }),
      weight,
    })),
  );
}
