import { create } from '@bufbuild/protobuf';
import type { Cluster } from '../../envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import type { Listener } from '../../envoy-api/generated/envoy/config/listener/v3/listener_pb';
import {
  DirectResponseActionSchema,
  type Route,
} from '../../envoy-api/generated/envoy/config/route/v3/route_components_pb';
import type { RouteConfiguration } from '../../envoy-api/generated/envoy/config/route/v3/route_pb';
import type { BackendPool } from '../backend-pool';
import type { RouteBackend, RouteBackends } from '../route-backends';
import { NO_PICKER, pickerCluster } from './cluster-names';
import type { DiscoveryServer } from './endpoint-discovery';
import { guardedListener, idlingRoutes } from './guarded-listener';
import { leadTo, type NeededCluster, pooledRoute } from './pooled-route';
import { type RuleName, ruleOf } from './rule-name';
import { poolsOf } from './stamp';
import { noPicker, upstreamPicker } from './upstream-picker';
import { upstreamPool } from './upstream-pool';

/** What Envoy Gateway would give to the Envoys of one Gateway, or of a class whose Gateways are one. */
export interface GatewayResources {
  readonly clusters: readonly Cluster[];
  readonly listeners: readonly Listener[];
  readonly routes: readonly RouteConfiguration[];
}

/** By `NAMESPACE/NAME` of an HTTPRoute; those that stamped routes were made from. */
export type BackendsOfRoutes = ReadonlyMap<string, RouteBackends>;

/**
 * What Envoys get instead, so that InferencePools are backends. Pure. A route of another kind than HTTPRoute stays as Envoy
 * Gateway has it: it then has no endpoints, and other routes are none the worse.
 */
export function translate(
  { clusters, listeners, routes }: GatewayResources,
  backends: BackendsOfRoutes,
  discovery: DiscoveryServer,
): GatewayResources {
  const needed = new Map<string, NeededCluster>();
  const idling = new Set(listeners.flatMap(idlingRoutes));
  const translated = routes.map((one) => withPools(one, backends, idling.has(one.name), needed));
  const pools = [...needed.values()].map(({ pool }) => pool);
  return {
    listeners: listeners.map(guardedListener),
    routes: translated,
    clusters: [...poolClusters(clusters, needed, discovery), ...pickerClusters(pools, discovery)],
  };
}

/** `NAMESPACE/NAME` of the HTTPRoutes whose backends `translate` asks for. */
export function routesWithPools(routes: readonly RouteConfiguration[]): ReadonlySet<string> {
  const stamped = routes.flatMap(({ virtualHosts }) => virtualHosts.flatMap((host) => host.routes.filter(isPooled)));
  return new Set(stamped.flatMap(({ name }) => ruleOf(name)?.route ?? []));
}

const isPooled = (route: Route) => route.action.case === 'route' && poolsOf(route).length > 0;

function withPools(
  given: RouteConfiguration,
  backends: BackendsOfRoutes,
  idles: boolean,
  needed: Map<string, NeededCluster>,
): RouteConfiguration {
  const translated = (route: Route): Route => {
    const rule = ruleOf(route.name);
    if (rule === undefined || !isPooled(route)) return leadingSomewhere(route);
    const pools = poolsOf(route);
    const pooled = pooledRoute(route, rule, backendsOf(rule, backends, pools), pools, idles);
    for (const cluster of pooled.clusters) needed.set(cluster.name, cluster);
    return pooled.route;
  };
  // Others are as they were: a Gateway may have thousands of routes, and none to a pool.
  const virtualHosts = given.virtualHosts.map((host) => ({ ...host, routes: host.routes.map(translated) }));
  return { ...given, virtualHosts };
}

/**
 * Where a rule of another kind leads to nothing but pools, Envoy Gateway may choose among no clusters at all, and then
 * refuses the whole configuration of the Gateway itself.
 */
function leadingSomewhere(route: Route): Route {
  const { action } = route;
  if (action.case !== 'route' || action.value.clusterSpecifier.case !== 'weightedClusters') return route;
  if (action.value.clusterSpecifier.value.clusters.length > 0) return route;
  return { ...route, action: { case: 'directResponse', value: create(DirectResponseActionSchema, { status: 503 }) } };
}

/**
 * What a rule leads to. Where the API server is ahead of Envoy Gateway, and the rule is gone or leads to none of its pools any
 * more, they stay until Envoy Gateway comes with that too: a cluster that became its own again for a moment would be empty,
 * and keep Envoy from every other change of a cluster until it had waited for endpoints in vain.
 */
function backendsOf(
  { route, index }: RuleName,
  backends: BackendsOfRoutes,
  pools: readonly BackendPool[],
): readonly RouteBackend[] {
  const leads = backends.get(route)?.[index] ?? [];
  return leadTo(leads, pools).length > 0
    ? leads
    : pools.map(({ namespace, name }) => ({ pool: { namespace, name }, weight: 1 }));
}

/** Those of Envoy Gateway, and those of pools in their place or beside them. */
function poolClusters(
  given: readonly Cluster[],
  needed: ReadonlyMap<string, NeededCluster>,
  discovery: DiscoveryServer,
): Cluster[] {
  const byName = new Map(given.map((cluster) => [cluster.name, cluster]));
  const made = [...needed.values()].flatMap(({ name, from, pool }) => {
    const rule = from.map((one) => byName.get(one)).find((one) => one !== undefined);
    return rule ? [upstreamPool(rule, name, pool, discovery)] : [];
  });
  return [...given.filter(({ name }) => !needed.has(name)), ...made];
}

function pickerClusters(pools: readonly BackendPool[], discovery: DiscoveryServer): Cluster[] {
  const clusters = [...Map.groupBy(pools, pickerCluster)].flatMap(([name, sharing]) => {
    const [pool] = sharing;
    if (name === undefined || pool?.picker?.service === undefined) return [];
    const { service } = pool.picker;
    // Of a picker that several pools name, none alone says that it is the product's own, or that it is left lightly.
    const ofAll = (trait: 'isOurs' | 'failsOpen') => sharing.every(({ picker }) => picker?.[trait]);
    const picker = { ...pool.picker, service, isOurs: ofAll('isOurs'), failsOpen: ofAll('failsOpen') };
    return [upstreamPicker(name, { ...pool, picker }, discovery)];
  });
  return [noPicker(NO_PICKER), ...clusters];
}
