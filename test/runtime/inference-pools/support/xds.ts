import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { anyPack } from '@bufbuild/protobuf/wkt';
import {
  type Cluster,
  Cluster_DiscoveryType,
  Cluster_EdsClusterConfigSchema,
  ClusterSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import {
  type FilterChain,
  FilterChainSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/listener/v3/listener_components_pb';
import {
  type Route,
  RouteActionSchema,
  RouteSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_pb';
import { HttpConnectionManagerSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb';
import type { BackendPool } from '../../../../runtime/inference-pools/backend-pool';
import { stamped } from '../../../../runtime/inference-pools/xds/stamp';

/** A cluster as Envoy Gateway makes them. */
export function cluster(name: string, changes: MessageInitShape<typeof ClusterSchema> = {}): Cluster {
  const made = create(ClusterSchema, changes);
  made.name = name;
  if (made.clusterDiscoveryType.case === undefined) {
    made.clusterDiscoveryType = { case: 'type', value: Cluster_DiscoveryType.EDS };
  }
  made.edsClusterConfig ??= create(Cluster_EdsClusterConfigSchema, {
    serviceName: name,
    edsConfig: { configSourceSpecifier: { case: 'ads', value: {} } },
  });
  return made;
}

type ActionInit = MessageInitShape<typeof RouteActionSchema>;

/** `cluster`, or by weight. */
export function leading(to: string | Readonly<Record<string, number>>, changes: ActionInit = {}) {
  const clusters = Object.entries(to).map(([name, weight]) => ({ name, weight }));
  const action = create(RouteActionSchema, {
    clusterSpecifier:
      typeof to === 'string' ? { case: 'cluster', value: to } : { case: 'weightedClusters', value: { clusters } },
    ...changes,
  });
  return { case: 'route', value: action } as const;
}

/** A route that Envoy Gateway has made from the first match of a rule, and that leads to the pools. */
export function route(rule: string, action: Route['action'], pools: readonly BackendPool[] = []): Route {
  const made = create(RouteSchema, { name: `${rule}/match/0/*`, action });
  return pools.length > 0 ? stamped(made, pools) : made;
}

export function routes(...given: readonly Route[]): RouteConfiguration {
  return create(RouteConfigurationSchema, {
    name: 'gw/http',
    virtualHosts: [{ name: 'gw/http/*', domains: ['*'], routes: [...given] }],
  });
}

type ManagerInit = MessageInitShape<typeof HttpConnectionManagerSchema>;

/** Filters of HTTP whose routes Envoy is told, before the one that routes. */
export function httpChain(filters: readonly string[] = [], changes: ManagerInit = {}): FilterChain {
  const manager = create(HttpConnectionManagerSchema, {
    routeSpecifier: { case: 'rds', value: { routeConfigName: 'gw/http' } },
    httpFilters: [...filters, 'envoy.filters.http.router'].map((name) => ({ name })),
    ...changes,
  });
  const name = 'envoy.filters.network.http_connection_manager';
  const value = anyPack(HttpConnectionManagerSchema, manager);
  return create(FilterChainSchema, { filters: [{ name, configType: { case: 'typedConfig', value } }] });
}

/** Of a field that no generated type has. */
const UNKNOWN_NUMBER = 90_000;
const UNKNOWN = new BinaryWriter().tag(UNKNOWN_NUMBER, WireType.Varint).uint32(7).finish();

/** As from an Envoy Gateway whose messages have more fields than ours. */
export function withUnknown<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): MessageShape<Desc> {
  return fromBinary(schema, Buffer.concat([toBinary(schema, message), UNKNOWN]));
}

export function hasUnknown(
  message: { readonly $unknown?: readonly { readonly no: number }[] | undefined } | undefined,
): boolean {
  return message?.$unknown?.some(({ no }) => no === UNKNOWN_NUMBER) ?? false;
}
