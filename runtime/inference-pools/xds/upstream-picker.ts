import { create } from '@bufbuild/protobuf';
import { AnySchema } from '@bufbuild/protobuf/wkt';
import {
  type Cluster,
  Cluster_DiscoveryType,
  ClusterSchema,
} from '../../envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import { CertificateValidationContext_TrustChainVerification } from '../../envoy-api/generated/envoy/extensions/transport_sockets/tls/v3/common_pb';
import { UpstreamTlsContextSchema } from '../../envoy-api/generated/envoy/extensions/transport_sockets/tls/v3/tls_pb';
import { HttpProtocolOptionsSchema } from '../../envoy-api/generated/envoy/extensions/upstreams/http/v3/http_protocol_options_pb';
import type { BackendPool, PoolPicker, ServicePort } from '../backend-pool';
import { PLAIN } from '../discovery/assignment';
import { pickerResource } from '../resource-names';
import { duration } from './duration';
import { type DiscoveryServer, discoveredEndpoints } from './endpoint-discovery';
import { typed } from './extension-config';

/** A picker is asked whether it lives so often, and must answer within this time. Milliseconds. */
const CHECK = { intervalMs: 500, timeoutMs: 500 };

/**
 * When a picker is left: where requests go on without one, at the first doubt; where they fail without one, not for a pause
 * of a moment or a connection that breaks, unless there is another.
 */
const LEFT = {
  failOpen: { checks: 1, maxEjectionPercent: 100 },
  failClose: { checks: 3, maxEjectionPercent: 50 },
};

/**
 * A connection to a picker of ours is cut, and what waits on it goes on, where it does not answer: one that hangs keeps its
 * connections. Pickers of others may take such questions for an attack; requests that one holds as it begins to hang wait
 * until it ends. Milliseconds.
 */
const PING = { intervalMs: 1_000, timeoutMs: 2_000 };

/** Milliseconds. */
const CONNECT_TIMEOUT_MS = 1_000;

/** One that has failed a request is left alone so long; the check takes it back before, once it lives. Milliseconds. */
const EJECTION_MS = 5_000;

/** Many requests go to one picker at once, as each holds a stream until its response has ended. */
const MANY = 65_536;

/**
 * The cluster of a picker: its own certificate encrypts, and nobody vouches for it, as the picker protocol has no
 * authority. No replica that does not live is asked, and where none does, the route's failure mode decides at once.
 */
export function upstreamPicker(
  name: string,
  { namespace, picker }: BackendPool & { readonly picker: PoolPicker & { readonly service: ServicePort } },
  discovery: DiscoveryServer,
): Cluster {
  const left = picker.failsOpen ? LEFT.failOpen : LEFT.failClose;
  return create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: 'type', value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: discoveredEndpoints(pickerResource(namespace, picker.service), discovery),
    connectTimeout: duration(CONNECT_TIMEOUT_MS),
    typedExtensionProtocolOptions: overHttp2(picker.isOurs),
    transportSocketMatches: [{ name: PLAIN, match: { [PLAIN]: true }, transportSocket: plainSocket() }],
    transportSocket: {
      name: 'envoy.transport_sockets.tls',
      configType: {
        case: 'typedConfig',
        value: typed(UpstreamTlsContextSchema, {
          commonTlsContext: {
            alpnProtocols: ['h2'],
            validationContextType: {
              case: 'validationContext',
              value: { trustChainVerification: CertificateValidationContext_TrustChainVerification.ACCEPT_UNTRUSTED },
            },
          },
        }),
      },
    },
    circuitBreakers: {
      thresholds: [{ maxConnections: MANY, maxPendingRequests: MANY, maxRequests: MANY, maxRetries: MANY }],
    },
    commonLbConfig: { healthyPanicThreshold: { value: 0 } },
    healthChecks: [
      {
        interval: duration(CHECK.intervalMs),
        timeout: duration(CHECK.timeoutMs),
        unhealthyThreshold: left.checks,
        healthyThreshold: 1,
        noTrafficInterval: duration(CHECK.intervalMs),
        // By a connection, and not by gRPC: many pickers answer health checks at another port only.
        healthChecker: { case: 'tcpHealthCheck', value: {} },
      },
    ],
    // By connections alone: what a picker answers to one request says nothing of the next.
    outlierDetection: {
      splitExternalLocalOriginErrors: true,
      consecutiveLocalOriginFailure: 1,
      enforcingConsecutiveLocalOriginFailure: 100,
      enforcingConsecutive5xx: 0,
      enforcingConsecutiveGatewayFailure: 0,
      enforcingSuccessRate: 0,
      enforcingLocalOriginSuccessRate: 0,
      interval: duration(CHECK.intervalMs),
      baseEjectionTime: duration(EJECTION_MS),
      maxEjectionTime: duration(EJECTION_MS),
      maxEjectionPercent: left.maxEjectionPercent,
    },
    ignoreHealthOnHostRemoval: true,
  });
}

/** The cluster of no picker at all. */
export function noPicker(name: string): Cluster {
  return create(ClusterSchema, {
    name,
    clusterDiscoveryType: { case: 'type', value: Cluster_DiscoveryType.STATIC },
    loadAssignment: { clusterName: name },
    connectTimeout: duration(CONNECT_TIMEOUT_MS),
    typedExtensionProtocolOptions: overHttp2(false),
  });
}

function overHttp2(pings: boolean) {
  const connectionKeepalive = { interval: duration(PING.intervalMs), timeout: duration(PING.timeoutMs) };
  return {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(HttpProtocolOptionsSchema, {
      upstreamProtocolOptions: {
        case: 'explicitHttpConfig',
        value: { protocolConfig: { case: 'http2ProtocolOptions', value: pings ? { connectionKeepalive } : {} } },
      },
    }),
  };
}

function plainSocket() {
  const typeUrl = 'type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer';
  const value = create(AnySchema, { typeUrl });
  return { name: 'envoy.transport_sockets.raw_buffer', configType: { case: 'typedConfig' as const, value } };
}
