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

test('what is the same for all Envoys has one form: a configuration that did not change is no change', () => {
  expect(discoveredEndpoints('inference-pool/models/alpha', DISCOVERY).edsConfig).toEqual(edsConfig);
});
