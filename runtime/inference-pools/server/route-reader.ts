import type { ApiClient } from '../../kubernetes/api-client';
import { resourceOf } from '../../kubernetes/resources';
import { type HttpRouteObject, routeBackends } from '../route-backends';
import type { BackendsOfRoutes } from '../xds/translate';

const HTTP_ROUTE = resourceOf('gateway.networking.k8s.io/v1', 'HTTPRoute');

/** Read at once; each is one small answer of the API server. */
const AT_ONCE = 16;

/**
 * What HTTPRoutes lead to, by `NAMESPACE/NAME`; not those that are gone. Asked of the API server each time and not watched:
 * the hooks do not say what weights a rule has, Envoy Gateway is not asked twice about the same state, and a watch may be
 * behind its own. Rejects with an ApiError, or the reason of `signal`.
 */
export async function readBackends(
  client: Pick<ApiClient, 'get'>,
  routes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<BackendsOfRoutes> {
  const names = [...routes];
  const found = new Map<string, ReturnType<typeof routeBackends>>();
  const readNext = async (): Promise<void> => {
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      const [namespace, route = ''] = name.split('/');
      const object = await client.get(HTTP_ROUTE, route, namespace, signal);
      if (object) found.set(name, routeBackends(object as unknown as HttpRouteObject));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return found;
}
