import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack, anyUnpack } from '@bufbuild/protobuf/wkt';
import {
  type Cluster,
  Cluster_DiscoveryType,
  Cluster_LbPolicy,
  ClusterSchema,
  LoadBalancingPolicySchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import {
  type OverrideHost,
  OverrideHostSchema,
} from '../../../../runtime/envoy-api/generated/envoy/extensions/load_balancing_policies/override_host/v3/override_host_pb';
import {
  HttpProtocolOptions_ExplicitHttpConfigSchema,
  HttpProtocolOptionsSchema,
} from '../../../../runtime/envoy-api/generated/envoy/extensions/upstreams/http/v3/http_protocol_options_pb';
import { extensionConfig } from '../../../../runtime/inference-pools/xds/extension-config';
import { upstreamPool } from '../../../../runtime/inference-pools/xds/upstream-pool';
import { DISCOVERY, unpicked } from '../support/pools';
import { cluster, hasUnknown, withUnknown } from '../support/xds';

const HTTP_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';
const ALPHA = unpicked('alpha');
const upstream = (rule: Cluster, pool = ALPHA) => upstreamPool(rule, 'of-alpha', pool, DISCOVERY);

function overrideOf({ loadBalancingPolicy }: Cluster): OverrideHost {
  const [policy, ...others] = loadBalancingPolicy?.policies ?? [];
  const found = anyUnpack(policy!.typedExtensionConfig!.typedConfig!, OverrideHostSchema);
  if (!found || others.length > 0) throw new Error('it is not balanced by what the picker says alone');
  return found;
}

test('its endpoints are those of the pool, whatever the cluster of Envoy Gateway had', () => {
  const rules = [
    cluster('rule'),
    cluster('rule', { clusterDiscoveryType: { case: 'type', value: Cluster_DiscoveryType.ORIGINAL_DST } }),
    cluster('rule', { clusterDiscoveryType: { case: 'clusterType', value: { name: 'dynamic_forward_proxy' } } }),
    cluster('rule', { loadAssignment: { clusterName: 'rule' } }),
  ];

  for (const result of rules.map((rule) => upstream(rule))) {
    expect(result.name).toBe('of-alpha');
    expect(result.clusterDiscoveryType).toEqual({ case: 'type', value: Cluster_DiscoveryType.EDS });
    expect(result.edsClusterConfig?.serviceName).toBe('inference-pool/models/alpha');
    expect(result.edsClusterConfig?.edsConfig?.configSourceSpecifier.case).toBe('apiConfigSource');
    expect(result.loadAssignment).toBeUndefined();
  }
});

describe('a request goes', () => {
  test('where the header or the metadata of the picker says, and who served is told', () => {
    const { overrideHostSources, selectedHostKey } = overrideOf(upstream(cluster('rule')));

    const [header, metadata] = overrideHostSources;
    expect(header?.header).toBe('x-gateway-destination-endpoint');
    const path = (key: string) => ({ key: 'envoy.lb', path: [{ segment: { case: 'key', value: key } }] });
    expect(metadata?.metadata).toMatchObject(path('x-gateway-destination-endpoint'));
    expect(selectedHostKey).toMatchObject(path('x-gateway-destination-endpoint-served'));
  });

  test('else to the pod with the fewest requests', () => {
    const { fallbackPolicy } = overrideOf(upstream(cluster('rule', { lbPolicy: Cluster_LbPolicy.RANDOM })));

    expect(fallbackPolicy?.policies.map((one) => one.typedExtensionConfig?.name)).toEqual([
      'envoy.load_balancing_policies.least_request',
    ]);
  });

  test("else as the owner's policy says", () => {
    const typedExtensionConfig = extensionConfig('example.policy', HttpProtocolOptionsSchema, {});
    const loadBalancingPolicy = create(LoadBalancingPolicySchema, { policies: [{ typedExtensionConfig }] });

    const { fallbackPolicy } = overrideOf(upstream(cluster('rule', { loadBalancingPolicy })));

    expect(fallbackPolicy).toEqual(loadBalancingPolicy);
  });
});

test('nothing of the old form of balancing contradicts it', () => {
  const rule = cluster('rule', {
    lbPolicy: Cluster_LbPolicy.CLUSTER_PROVIDED,
    lbConfig: { case: 'originalDstLbConfig', value: { useHttpHeader: true } },
  });

  const { lbPolicy, lbConfig } = upstream(rule);

  expect([lbPolicy, lbConfig]).toEqual([Cluster_LbPolicy.ROUND_ROBIN, { case: undefined }]);
});

test("no pod that is not ready is taken when most are not, unless the owner's policy says so", () => {
  const said = cluster('rule', { commonLbConfig: { healthyPanicThreshold: { value: 30 } } });
  const unsaid = cluster('rule', { commonLbConfig: { closeConnectionsOnHostSetChange: true } });

  const thresholds = [said, unsaid, cluster('rule')].map((rule) => upstream(rule).commonLbConfig);

  expect(thresholds.map((one) => one?.healthyPanicThreshold?.value)).toEqual([30, 0, 0]);
  expect(thresholds[1]?.closeConnectionsOnHostSetChange).toBe(true);
});

test('all else that policies say stays, and what nobody here knows of', () => {
  const rule = withUnknown(
    ClusterSchema,
    cluster('rule', {
      connectTimeout: { seconds: 10n },
      circuitBreakers: { thresholds: [{ maxRequests: 7 }] },
      outlierDetection: { consecutive5xx: 3 },
      healthChecks: [{ unhealthyThreshold: 3 }],
    }),
  );

  const result = upstream(rule);

  const { connectTimeout, circuitBreakers, outlierDetection, healthChecks } = rule;
  expect(result).toMatchObject({ connectTimeout, circuitBreakers, outlierDetection, healthChecks });
  expect(hasUnknown(result)).toBe(true);
});

test('the cluster that was given stays as it is', () => {
  const rule = cluster('rule', { loadAssignment: { clusterName: 'rule' } });
  const before = toBinary(ClusterSchema, rule);

  upstream(rule, { ...ALPHA, http2: true });

  expect(toBinary(ClusterSchema, rule)).toEqual(before);
});

describe('pods that are spoken to in HTTP/2', () => {
  const h2c = { ...ALPHA, http2: true };
  const withOptions = (options: Parameters<typeof create<typeof HttpProtocolOptionsSchema>>[1]) =>
    cluster('rule', {
      typedExtensionProtocolOptions: {
        [HTTP_OPTIONS]: anyPack(HttpProtocolOptionsSchema, create(HttpProtocolOptionsSchema, options)),
      },
    });
  const optionsOf = ({ typedExtensionProtocolOptions }: Cluster) => {
    const present = typedExtensionProtocolOptions[HTTP_OPTIONS];
    return present && anyUnpack(present, HttpProtocolOptionsSchema);
  };
  const http2 = (value: object) =>
    ({
      case: 'explicitHttpConfig',
      value: create(HttpProtocolOptions_ExplicitHttpConfigSchema, {
        protocolConfig: { case: 'http2ProtocolOptions', value },
      }),
    }) as const;

  test('are so, where nothing else is said', () => {
    expect(optionsOf(upstream(cluster('rule'), h2c))?.upstreamProtocolOptions).toEqual(http2({}));
  });

  test('are others only where the pool says so', () => {
    expect(optionsOf(upstream(cluster('rule')))).toBeUndefined();
  });

  test("with the owner's limits of connections", () => {
    const rule = withOptions({
      commonHttpProtocolOptions: { idleTimeout: { seconds: 5n } },
      upstreamProtocolOptions: {
        case: 'explicitHttpConfig',
        value: { protocolConfig: { case: 'httpProtocolOptions', value: {} } },
      },
    });

    const options = optionsOf(upstream(rule, h2c));

    expect(options?.commonHttpProtocolOptions?.idleTimeout?.seconds).toBe(5n);
    expect(options?.upstreamProtocolOptions).toEqual(http2({}));
  });

  test("with the owner's options of HTTP/2", () => {
    const said = http2({ maxConcurrentStreams: 9 });

    expect(optionsOf(upstream(withOptions({ upstreamProtocolOptions: said }), h2c))?.upstreamProtocolOptions).toEqual(
      said,
    );
  });

  test('with what nobody here knows of', () => {
    const options = withUnknown(HttpProtocolOptionsSchema, create(HttpProtocolOptionsSchema));
    const typedExtensionProtocolOptions = { [HTTP_OPTIONS]: anyPack(HttpProtocolOptionsSchema, options) };

    expect(hasUnknown(optionsOf(upstream(cluster('rule', { typedExtensionProtocolOptions }), h2c)))).toBe(true);
  });
});
