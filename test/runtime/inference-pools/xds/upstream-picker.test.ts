import { anyUnpack, durationMs } from '@bufbuild/protobuf/wkt';
import {
  type Cluster,
  Cluster_DiscoveryType,
} from '../../../../runtime/envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import { HealthStatus } from '../../../../runtime/envoy-api/generated/envoy/config/core/v3/health_check_pb';
import { CertificateValidationContext_TrustChainVerification } from '../../../../runtime/envoy-api/generated/envoy/extensions/transport_sockets/tls/v3/common_pb';
import { UpstreamTlsContextSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/transport_sockets/tls/v3/tls_pb';
import { HttpProtocolOptionsSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/upstreams/http/v3/http_protocol_options_pb';
import { assignment } from '../../../../runtime/inference-pools/discovery/assignment';
import { noPicker, upstreamPicker } from '../../../../runtime/inference-pools/xds/upstream-picker';
import { DISCOVERY, picked } from '../support/pools';

const service = { name: 'epp', port: 9002 };
const upstream = (isOurs = false, failsOpen = true) => {
  const pool = picked('alpha', { isOurs, failsOpen });
  return upstreamPicker('picker', { ...pool, picker: { ...pool.picker!, service } }, DISCOVERY);
};

function http2Of({ typedExtensionProtocolOptions }: Cluster) {
  const [config] = Object.values(typedExtensionProtocolOptions);
  const said = anyUnpack(config!, HttpProtocolOptionsSchema)?.upstreamProtocolOptions;
  const protocol = said?.case === 'explicitHttpConfig' ? said.value.protocolConfig : undefined;
  return protocol?.case === 'http2ProtocolOptions' ? protocol.value : undefined;
}

test('its endpoints are those of the Service, which it is asked for by name and port', () => {
  const { name, clusterDiscoveryType, edsClusterConfig } = upstream();

  expect(name).toBe('picker');
  expect(clusterDiscoveryType).toEqual({ case: 'type', value: Cluster_DiscoveryType.EDS });
  expect(edsClusterConfig?.serviceName).toBe('endpoint-picker/models/epp/9002');
});

test('it speaks gRPC over TLS with whoever has the key, as the picker protocol knows no authority', () => {
  const cluster = upstream();
  const config = cluster.transportSocket?.configType;
  const tls = config?.case === 'typedConfig' ? anyUnpack(config.value, UpstreamTlsContextSchema) : undefined;

  expect(http2Of(cluster)).toBeDefined();
  expect(tls?.commonTlsContext?.alpnProtocols).toEqual(['h2']);
  const validation = tls?.commonTlsContext?.validationContextType;
  expect(validation).toMatchObject({
    case: 'validationContext',
    value: { trustChainVerification: CertificateValidationContext_TrustChainVerification.ACCEPT_UNTRUSTED },
  });
});

test('endpoints that speak plainly are spoken to so, and no others', () => {
  const [match] = upstream().transportSocketMatches;
  const { endpoints } = assignment('picker', [
    [{ address: '10.0.0.1', port: 9002, health: HealthStatus.HEALTHY, isPlain: true }],
    [{ address: '10.0.0.2', port: 9002, health: HealthStatus.HEALTHY }],
  ]);

  expect(match?.transportSocket?.name).toBe('envoy.transport_sockets.raw_buffer');
  const said = endpoints.map(({ lbEndpoints: [one] }) => one?.metadata?.filterMetadata['envoy.transport_socket_match']);
  expect(said).toEqual([match?.match, undefined]);
});

test('one that does not live is found out within a second, and asked no more, even if none does', () => {
  const { healthChecks, commonLbConfig, outlierDetection } = upstream();
  const [check] = healthChecks;

  expect(durationMs(check!.interval!) + durationMs(check!.timeout!)).toBeLessThanOrEqual(1_000);
  expect([check?.unhealthyThreshold, check?.healthChecker.case]).toEqual([1, 'tcpHealthCheck']);
  expect(commonLbConfig?.healthyPanicThreshold?.value).toBe(0);
  expect(outlierDetection).toMatchObject({ consecutiveLocalOriginFailure: 1, maxEjectionPercent: 100 });
});

test('where requests fail without one, it is not left for a moment, nor for what a connection does if it is the only one', () => {
  const { healthChecks, outlierDetection } = upstream(false, false);

  expect(healthChecks[0]?.unhealthyThreshold).toBe(3);
  // Of one host a half is less than one.
  expect(outlierDetection).toMatchObject({ maxEjectionPercent: 50 });
  expect(outlierDetection?.alwaysEjectOneHost).toBeUndefined();
});

test('a connection is tried by pings where the picker is known to bear them', () => {
  expect(http2Of(upstream(true))?.connectionKeepalive).toBeDefined();
  expect(http2Of(upstream(false))?.connectionKeepalive).toBeUndefined();
});

test('no limit of connections keeps requests from a picker', () => {
  const [limits] = upstream().circuitBreakers!.thresholds;

  for (const limit of [limits?.maxRequests, limits?.maxPendingRequests, limits?.maxConnections]) {
    expect(limit).toBeGreaterThan(10_000);
  }
});

test('the cluster of no picker has no endpoints, and waits for none', () => {
  const cluster = noPicker('none');

  expect(cluster.clusterDiscoveryType).toEqual({ case: 'type', value: Cluster_DiscoveryType.STATIC });
  expect(cluster.loadAssignment).toMatchObject({ clusterName: 'none', endpoints: [] });
  expect(http2Of(cluster)).toBeDefined();
});
