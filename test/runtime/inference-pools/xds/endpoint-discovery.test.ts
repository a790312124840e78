import { durationMs } from '@bufbuild/protobuf/wkt';
import {
  ApiConfigSource_ApiType,
  ApiVersion,
} from '../../../../runtime/envoy-api/generated/envoy/config/core/v3/config_source_pb';
import { discoveredEndpoints } from '../../../../runtime/inference-pools/xds/endpoint-discovery';
import { DISCOVERY } from '../support/pools';

const { serviceName, edsConfig } = discoveredEndpoints('inference-pool/models/alpha', DISCOVERY);
const source = edsConfig?.configSourceSpecifier;
const api = source?.case === 'apiConfigSource' ? source.value : undefined;
const target = api?.grpcServices[0]?.targetSpecifier;
const google = target?.case === 'googleGrpc' ? target.value : undefined;

test('Envoy asks the controller by name, over a stream of its own', () => {
  expect(serviceName).toBe('inference-pool/models/alpha');
  expect(api?.apiType).toBe(ApiConfigSource_ApiType.GRPC);
  expect([edsConfig?.resourceApiVersion, api?.transportApiVersion]).toEqual([ApiVersion.V3, ApiVersion.V3]);
  expect(google?.targetUri).toBe(DISCOVERY.address);
});

test('both show a certificate', () => {
  const credentials = google?.channelCredentials?.credentialSpecifier;

  const text = (value: string) => ({ specifier: { case: 'inlineString', value } });
  expect(credentials).toMatchObject({
    case: 'sslCredentials',
    value: {
      rootCerts: text(DISCOVERY.tls.ca),
      certChain: text(DISCOVERY.tls.certificate),
      privateKey: text(DISCOVERY.tls.key),
    },
  });
});

test('a stream waits for a controller, which is tried every two seconds at least', () => {
  const { 'grpc.service_config': config, 'grpc.max_reconnect_backoff_ms': most } = google!.channelArgs!.args;

  expect(JSON.parse(String(config?.valueSpecifier.value))).toEqual({
    methodConfig: [{ name: [{}], waitForReady: true }],
  });
  expect(most?.valueSpecifier.value).toBe(2_000n);
});

test('an Envoy that starts waits a minute for a controller, and no longer', () => {
  expect(durationMs(edsConfig!.initialFetchTimeout!)).toBe(60_000);
});

test('what is the same for all Envoys has one form: a configuration that did not change is no change', () => {
  expect(discoveredEndpoints('inference-pool/models/alpha', DISCOVERY).edsConfig).toEqual(edsConfig);
});
