import { items, property, propertyAt } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { conditionIn } from '../../../lib/translate/cluster/status/conditions';
import { isSameReference, parentReference, type Reference } from '../reference';

/** What a Gateway has made of a route. `pending`: nothing yet. */
export interface RouteVerdict {
  readonly verdict: 'accepted' | 'pending' | 'refused';
  /** Why it is refused, in Envoy Gateway's words. */
  readonly message?: string;
}

/** As the status of the route says of one of its parents. `controllerName`: Envoy Gateway's, whose word it is. */
export function routeVerdict(route: KubernetesObject, parent: Reference, controllerName: string): RouteVerdict {
  const said = items(propertyAt(route.status, 'parents'))
    .filter(
      (place) =>
        property(place, 'controllerName') === controllerName &&
        isSameReference(parentReference(property(place, 'parentRef'), route), parent),
    )
    .map((place) => conditionIn(property(place, 'conditions'), 'Accepted'));
  if (said.some((condition) => condition?.status === 'True')) return { verdict: 'accepted' };
  const [first] = said;
  if (first === undefined || said.some((condition) => condition?.status !== 'False')) return { verdict: 'pending' };
  return { verdict: 'refused', message: first.message || first.reason || 'no reason is given' };
}

const ORDER = ['accepted', 'pending', 'refused'];

/** Of a route that reaches a Gateway in several ways: one that is accepted is enough. */
export function bestVerdict(a: RouteVerdict, b: RouteVerdict): RouteVerdict {
  return ORDER.indexOf(b.verdict) < ORDER.indexOf(a.verdict) ? b : a;
}
