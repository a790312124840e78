import { POOL_GROUP, POOL_KIND } from '../../../lib/api/pool-ref';
import { items, property, propertyAt, textOf } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { backendReference, GATEWAY_API, nameOf, parentReference, type Reference } from '../reference';
import { grantedBy } from './granted';
import type { PoolFacts } from './pool-facts';
import { bestVerdict, type RouteVerdict, routeVerdict } from './route-verdict';

/** A Gateway from which HTTPRoutes lead to a pool. */
export interface LeadingGateway {
  readonly namespace: string;
  readonly name: string;
  /** By `namespace/name`. */
  readonly routes: ReadonlyMap<string, RouteVerdict>;
}

/**
 * The Gateways that lead to each pool, by `namespace/name` of the pool. They are those of Envoy Gateway, whose
 * `spec.controllerName` is given: for all of them the extension server makes an InferencePool a backend.
 */
export function leadingGateways(
  facts: PoolFacts,
  controllerName: string,
): ReadonlyMap<string, readonly LeadingGateway[]> {
  const isGranted = grantedBy(facts.grants);
  const pools = new Map<string, Map<string, Gathered>>();
  for (const route of facts.routes) {
    const { namespace = '' } = route.metadata;
    const named = poolBackends(route)
      .map((backend) => backendReference(backend, route))
      .filter((pool) => isGranted(namespace, pool));
    if (named.length === 0) continue;
    const verdicts = verdictsOf(route, facts, controllerName);
    for (const pool of new Set(named.map(nameOf))) {
      const gateways = pools.get(pool) ?? new Map<string, Gathered>();
      pools.set(pool, gateways);
      for (const { gateway, verdict } of verdicts.values()) {
        const key = nameOf(gateway);
        const gathered = gateways.get(key) ?? { ...gateway, routes: new Map<string, RouteVerdict>() };
        gathered.routes.set(nameOf(route.metadata), verdict);
        gateways.set(key, gathered);
      }
    }
  }
  return new Map([...pools].map(([pool, gateways]) => [pool, [...gateways.values()]]));
}

/** The entries of a route's rules that send requests to InferencePools. A weight of 0 is a reference too. */
export function poolBackends(route: KubernetesObject): readonly unknown[] {
  return items(propertyAt(route.spec, 'rules'))
    .flatMap((rule) => items(property(rule, 'backendRefs')))
    .filter((backend) => {
      const { group, kind } = backendReference(backend, route);
      return group === POOL_GROUP && kind === POOL_KIND;
    });
}

interface GatewayName {
  readonly namespace: string;
  readonly name: string;
}

interface Gathered extends GatewayName {
  readonly routes: Map<string, RouteVerdict>;
}

/** Of each Gateway of ours that the route has as a parent. */
function verdictsOf(
  route: KubernetesObject,
  facts: PoolFacts,
  controllerName: string,
): ReadonlyMap<string, { readonly gateway: GatewayName; readonly verdict: RouteVerdict }> {
  const verdicts = new Map<string, { readonly gateway: GatewayName; readonly verdict: RouteVerdict }>();
  for (const value of items(propertyAt(route.spec, 'parentRefs'))) {
    const parent = parentReference(value, route);
    const gateway = gatewayOf(parent, facts);
    if (gateway === undefined || !isServed(gateway, facts, controllerName)) continue;
    const key = nameOf(gateway);
    const verdict = routeVerdict(route, parent, controllerName);
    const former = verdicts.get(key);
    verdicts.set(key, { gateway, verdict: former === undefined ? verdict : bestVerdict(former.verdict, verdict) });
  }
  return verdicts;
}

/** A ListenerSet is a part of its Gateway. */
function gatewayOf(parent: Reference, facts: PoolFacts): GatewayName | undefined {
  const { group, kind, namespace, name } = parent;
  if (group !== GATEWAY_API) return undefined;
  if (kind === 'Gateway') return { namespace, name };
  const set = kind === 'ListenerSet' ? facts.listenerSet(name, namespace) : undefined;
  if (set === undefined) return undefined;
  const above = parentReference(propertyAt(set.spec, 'parentRef'), set);
  return above.group === GATEWAY_API && above.kind === 'Gateway'
    ? { namespace: above.namespace, name: above.name }
    : undefined;
}

function isServed({ namespace, name }: GatewayName, facts: PoolFacts, controllerName: string): boolean {
  const className = textOf(propertyAt(facts.gateway(name, namespace)?.spec, 'gatewayClassName'));
  const gatewayClass = className === undefined ? undefined : facts.gatewayClass(className);
  return propertyAt(gatewayClass?.spec, 'controllerName') === controllerName;
}
