import { clone, create } from '@bufbuild/protobuf';
import { STREAM_IDLE_MS } from '../../../lib/translate/envoy/upstream-settings';
import {
  RetryPolicySchema,
  type Route,
  type RouteAction,
  RouteSchema,
  type WeightedCluster_ClusterWeight,
  WeightedCluster_ClusterWeightSchema,
  WeightedClusterSchema,
} from '../../envoy-api/generated/envoy/config/route/v3/route_components_pb';
import type { BackendPool } from '../backend-pool';
import type { RouteBackend } from '../route-backends';
import { pickerCluster, poolCluster } from './cluster-names';
import { duration } from './duration';
import { pickedBy } from './pick-filters';
import { backendCluster, type RuleName } from './rule-name';

/** A cluster of a pool that a route needs. */
export interface NeededCluster {
  readonly name: string;
  /** The one of Envoy Gateway that it is made from; where that is missing, the second. */
  readonly from: readonly string[];
  readonly pool: BackendPool;
}

export interface PooledRoute {
  readonly route: Route;
  readonly clusters: readonly NeededCluster[];
}

/**
 * As the routes of the product's own gateways: a pod that closes a connection as a request comes, or dies before it answers,
 * costs a retry, with the one that the picker has named next.
 */
const RETRIES = { retryOn: 'connect-failure,refused-stream,reset', numRetries: 2 };

/**
 * A route of Envoy Gateway that leads to pools, such that it does, by their weights and pickers. `backends` are those of the
 * rule it was made from, `pools` those of them that are there and that the route may use; `idles`: whether its listener says
 * how long an answer may be silent.
 */
export function pooledRoute(
  given: Route,
  rule: RuleName,
  backends: readonly RouteBackend[],
  pools: readonly BackendPool[],
  idles: boolean,
): PooledRoute {
  const route = clone(RouteSchema, given);
  // A redirect, or an answer by Envoy itself, leads to no pool, whatever its rule names.
  if (route.action.case !== 'route') return { route, clusters: [] };
  const action = route.action.value;
  const led = leadTo(backends, pools);
  if (led.length === 0) return { route, clusters: [] };
  forModels(action, led, idles);
  const others = otherClusters(action, rule, backends);
  const isTaken = others.some(({ name }) => name === rule.cluster);
  // The first keeps the name of the rule's cluster when others come beside it, and so goes on as it is.
  const [only] = led;
  const clusters = led.map((one) =>
    needed(rule, one.pool === only?.pool && !isTaken ? rule.cluster : poolCluster(rule.cluster, one.pool), one),
  );
  if (only && led.length === 1 && others.length === 0) {
    Object.assign(route.typedPerFilterConfig, picks(only.pool, route));
    action.clusterSpecifier = { case: 'cluster', value: rule.cluster };
    return { route, clusters };
  }
  const weights = led.map(({ pool, weight }, index) =>
    create(WeightedCluster_ClusterWeightSchema, {
      name: clusters[index]!.name,
      weight,
      typedPerFilterConfig: picks(pool, route),
    }),
  );
  const { clusterSpecifier: said } = action;
  const weighted = said.case === 'weightedClusters' ? said.value : create(WeightedClusterSchema);
  weighted.clusters = [...others, ...weights];
  action.clusterSpecifier = { case: 'weightedClusters', value: weighted };
  return { route, clusters };
}

/** Long answers are not cut, and pods that fail cost a retry, where the owner of the route has said nothing of it. */
function forModels(action: RouteAction, led: readonly Led[], idles: boolean): void {
  action.timeout ??= duration(0);
  if (!idles) action.idleTimeout ??= duration(STREAM_IDLE_MS);
  action.retryPolicy ??= create(RetryPolicySchema, RETRIES);
  // Its body would be waited for until it ends.
  if (led.some(({ pool }) => pool.picker?.bodies === 'buffered')) action.upgradeConfigs = [];
}

interface Led {
  readonly pool: BackendPool;
  readonly weight: number;
  /** Of the backend in its rule. */
  readonly index: number;
}

/** Those of the backends that are among the pools, and get requests. */
export function leadTo(backends: readonly RouteBackend[], pools: readonly BackendPool[]): Led[] {
  return backends.flatMap(({ pool: ref, weight }, index) => {
    const pool = ref && pools.find(({ namespace, name }) => namespace === ref.namespace && name === ref.name);
    return pool && weight > 0 ? [{ pool, weight, index }] : [];
  });
}

/**
 * What of the rule leads elsewhere: as Envoy Gateway has it, or its one cluster for all of it. Where it has one, it knows of
 * no pool that is missing: one that is not among those of the route is new, and comes with its next configuration.
 */
function otherClusters(
  { clusterSpecifier }: RouteAction,
  rule: RuleName,
  backends: readonly RouteBackend[],
): WeightedCluster_ClusterWeight[] {
  if (clusterSpecifier.case === 'weightedClusters') return clusterSpecifier.value.clusters;
  const weight = backends.reduce((sum, { pool, weight: own }) => sum + (pool === undefined ? own : 0), 0);
  return weight === 0 ? [] : [create(WeightedCluster_ClusterWeightSchema, { name: rule.cluster, weight })];
}

function needed(rule: RuleName, name: string, { pool, index }: Led): NeededCluster {
  return { name, pool, from: [backendCluster(rule, index), rule.cluster] };
}

function picks(pool: BackendPool, { typedPerFilterConfig }: Route) {
  const cluster = pickerCluster(pool);
  return pool.picker && cluster !== undefined ? pickedBy(cluster, pool.picker, typedPerFilterConfig) : {};
}
