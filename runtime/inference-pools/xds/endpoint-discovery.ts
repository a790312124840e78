import { create } from '@bufbuild/protobuf';
import {
  type Cluster_EdsClusterConfig,
  Cluster_EdsClusterConfigSchema,
} from '../../envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import { ApiConfigSource_ApiType, ApiVersion } from '../../envoy-api/generated/envoy/config/core/v3/config_source_pb';
import { duration } from './duration';

/** Where Envoys ask for endpoints: the controller, which they know by its certificate and show one to. */
export interface DiscoveryServer {
  /** `HOST:PORT`. */
  readonly address: string;
  /** PEM. */
  readonly tls: { readonly ca: string; readonly certificate: string; readonly key: string };
}

/**
 * A cluster begins without endpoints where no controller answers within this time. Until then an Envoy that starts is not
 * ready, and the one that it is to replace goes on. Milliseconds.
 */
const FETCH_TIMEOUT_MS = 60_000;

/** An Envoy whose controller has gone asks the next after so long. Milliseconds. */
const RETRY_MS = { base: 250, max: 2_000 };

/** Streams wait for a connection: those that end are begun again by Envoy after up to half a minute, whatever it is told. */
const SERVICE_CONFIG = JSON.stringify({ methodConfig: [{ name: [{}], waitForReady: true }] });

/**
 * By gRPC of its own and not by Envoy's clusters: Envoy takes endpoints from a cluster only where its bootstrap has it, and
 * the bootstrap of a Gateway is its owner's. Each cluster has a stream, so that one that changes has its endpoints at once.
 */
export function discoveredEndpoints(resource: string, { address, tls }: DiscoveryServer): Cluster_EdsClusterConfig {
  return create(Cluster_EdsClusterConfigSchema, {
    serviceName: resource,
    edsConfig: {
      resourceApiVersion: ApiVersion.V3,
      initialFetchTimeout: duration(FETCH_TIMEOUT_MS),
      configSourceSpecifier: {
        case: 'apiConfigSource',
        value: {
          apiType: ApiConfigSource_ApiType.GRPC,
          transportApiVersion: ApiVersion.V3,
          setNodeOnFirstMessageOnly: true,
          grpcServices: [
            {
              targetSpecifier: {
                case: 'googleGrpc',
                value: {
                  targetUri: address,
                  statPrefix: 'inference_gateway_endpoints',
                  channelCredentials: {
                    credentialSpecifier: {
                      case: 'sslCredentials',
                      value: {
                        rootCerts: inline(tls.ca),
                        certChain: inline(tls.certificate),
                        privateKey: inline(tls.key),
                      },
                    },
                  },
                  channelArgs: { args: channelArguments() },
                },
              },
            },
          ],
        },
      },
    },
  });
}

/** A controller that has gone without a word is noticed within half a minute. */
function channelArguments() {
  const number = (value: number) => ({ valueSpecifier: { case: 'intValue' as const, value: BigInt(value) } });
  return {
    'grpc.service_config': { valueSpecifier: { case: 'stringValue' as const, value: SERVICE_CONFIG } },
    'grpc.keepalive_time_ms': number(20_000),
    'grpc.keepalive_timeout_ms': number(10_000),
    // However long nothing has changed.
    'grpc.http2.max_pings_without_data': number(0),
    'grpc.min_reconnect_backoff_ms': number(RETRY_MS.base),
    'grpc.initial_reconnect_backoff_ms': number(RETRY_MS.base),
    'grpc.max_reconnect_backoff_ms': number(RETRY_MS.max),
  };
}

const inline = (text: string) => ({ specifier: { case: 'inlineString' as const, value: text } });
