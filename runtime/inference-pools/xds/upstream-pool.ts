import { clone, create } from '@bufbuild/protobuf';
import { type Any, anyPack, anyUnpack } from '@bufbuild/protobuf/wkt';
import { DESTINATION_ENDPOINT_HEADER, SERVED_ENDPOINT_HEADER } from '../../../lib/translate/envoy/control-headers';
import { CircuitBreakersSchema } from '../../envoy-api/generated/envoy/config/cluster/v3/circuit_breaker_pb';
import {
  type Cluster,
  Cluster_CommonLbConfigSchema,
  Cluster_DiscoveryType,
  Cluster_LbPolicy,
  ClusterSchema,
  type LoadBalancingPolicy,
  LoadBalancingPolicySchema,
} from '../../envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import { LeastRequestSchema } from '../../envoy-api/generated/envoy/extensions/load_balancing_policies/least_request/v3/least_request_pb';
import { OverrideHostSchema } from '../../envoy-api/generated/envoy/extensions/load_balancing_policies/override_host/v3/override_host_pb';
import {
  type HttpProtocolOptions,
  HttpProtocolOptions_ExplicitHttpConfigSchema,
  HttpProtocolOptionsSchema,
} from '../../envoy-api/generated/envoy/extensions/upstreams/http/v3/http_protocol_options_pb';
import { PercentSchema } from '../../envoy-api/generated/envoy/type/v3/percent_pb';
import type { BackendPool } from '../backend-pool';
import { poolResource } from '../resource-names';
import { LB_METADATA } from './destination-headers';
import { type DiscoveryServer, discoveredEndpoints } from './endpoint-discovery';
import { extensionConfig } from './extension-config';

/** Answers take long, and Envoy's own limit of 1,024 at once is soon reached, where the owner of the route sets none. */
const MANY = 65_536;

const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/**
 * The cluster of a pool's pods: one that Envoy Gateway has made for the rule, with all that its owner's policies say, but
 * with the endpoints that discovery tells. A request goes where the picker says, and to the others by the policy's load
 * balancing: where there is no picker, it does not answer, or all that it has named fail.
 */
export function upstreamPool(rule: Cluster, name: string, pool: BackendPool, discovery: DiscoveryServer): Cluster {
  const cluster = clone(ClusterSchema, rule);
  cluster.name = name;
  cluster.clusterDiscoveryType = { case: 'type', value: Cluster_DiscoveryType.EDS };
  cluster.edsClusterConfig = discoveredEndpoints(poolResource(pool), discovery);
  delete cluster.loadAssignment;
  cluster.lbPolicy = Cluster_LbPolicy.ROUND_ROBIN;
  cluster.lbConfig = { case: undefined };
  cluster.loadBalancingPolicy = pickedFirst(rule.loadBalancingPolicy ?? leastRequests());
  // A pod that is not ready is no better than none: the picker may name it, the balancing may not take it.
  cluster.commonLbConfig ??= create(Cluster_CommonLbConfigSchema);
  cluster.commonLbConfig.healthyPanicThreshold ??= create(PercentSchema, { value: 0 });
  if (pool.http2 || isHttp2(rule)) {
    cluster.typedExtensionProtocolOptions[HTTP_OPTIONS] = spokenTo(rule, pool.http2);
  }
  cluster.circuitBreakers ??= create(CircuitBreakersSchema, { thresholds: [{}] });
  for (const threshold of cluster.circuitBreakers.thresholds) {
    threshold.maxConnections ??= MANY;
    threshold.maxPendingRequests ??= MANY;
    threshold.maxRequests ??= MANY;
  }
  return cluster;
}

function pickedFirst(fallback: LoadBalancingPolicy): LoadBalancingPolicy {
  const path = (key: string) => ({ key: LB_METADATA, path: [{ segment: { case: 'key' as const, value: key } }] });
  return create(LoadBalancingPolicySchema, {
    policies: [
      {
        typedExtensionConfig: extensionConfig('envoy.load_balancing_policies.override_host', OverrideHostSchema, {
          overrideHostSources: [
            { header: DESTINATION_ENDPOINT_HEADER },
            { metadata: path(DESTINATION_ENDPOINT_HEADER) },
          ],
          selectedHostKey: path(SERVED_ENDPOINT_HEADER),
          fallbackPolicy: fallback,
        }),
      },
    ],
  });
}

function leastRequests(): LoadBalancingPolicy {
  return create(LoadBalancingPolicySchema, {
    policies: [
      {
        typedExtensionConfig: extensionConfig('envoy.load_balancing_policies.least_request', LeastRequestSchema, {}),
      },
    ],
  });
}

/** Envoy Gateway has one cluster for all of a rule: what a neighbour of the pool needs is there too. */
const isHttp2 = (rule: Cluster) => {
  const { upstreamProtocolOptions: said } = httpOptions(rule);
  return said.case === 'explicitHttpConfig' && said.value.protocolConfig.case === 'http2ProtocolOptions';
};

function httpOptions({ typedExtensionProtocolOptions }: Cluster): HttpProtocolOptions {
  const present = typedExtensionProtocolOptions[HTTP_OPTIONS];
  return (present && anyUnpack(present, HttpProtocolOptionsSchema)) ?? create(HttpProtocolOptionsSchema);
}

/** With what the owner's policies say of connections. */
function spokenTo(rule: Cluster, http2: boolean): Any {
  const options = httpOptions(rule);
  if (http2 !== isHttp2(rule)) {
    const protocol = http2 ? 'http2ProtocolOptions' : 'httpProtocolOptions';
    const value = create(HttpProtocolOptions_ExplicitHttpConfigSchema, {
      protocolConfig: { case: protocol, value: {} },
    });
    options.upstreamProtocolOptions = { case: 'explicitHttpConfig', value };
  }
  return anyPack(HttpProtocolOptionsSchema, options);
}
