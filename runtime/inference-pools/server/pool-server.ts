import { setMaxListeners } from 'node:events';
import { experimental, Server } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import { GATEWAY_MESSAGE_MIB } from '../../../lib/translate/cluster/names';
import { EndpointDiscoveryService } from '../../envoy-api/generated/envoy/service/endpoint/v3/eds_pb';
import { EnvoyGatewayExtension } from '../../envoy-api/generated/proto/extension/service_pb';
import { grpcService } from '../../envoy-api/grpc-service';
import { addressText } from '../../picker-rpc/connect/picker-address';
import type { EndpointSource } from '../discovery/endpoint-source';
import type { PoolMetrics } from '../metrics';
import { endpointHandler } from './endpoint-handler';
import type { ExtensionHooks } from './extension-hooks';
import { hookHandler } from './hook-handler';

export interface PoolServerOptions {
  readonly hooks: ExtensionHooks;
  readonly source: EndpointSource;
  /** What it shows, and whose certificates it takes: nobody without one is heard. */
  readonly certificates: experimental.CertificateProvider;
  readonly log: Logger;
  readonly metrics: PoolMetrics;
}

export interface PoolServer {
  readonly port: number;
  /** Takes nothing new. Envoys are sent away at once; Envoy Gateway has eight seconds for what it has asked. */
  close(): Promise<void>;
}

/** Envoy Gateway is told the same. */
export const MAX_MESSAGE_BYTES = GATEWAY_MESSAGE_MIB << 20;

/** Milliseconds. */
const CLOSE_MS = 8_000;

/** Milliseconds. */
const KEEPALIVE = {
  // Envoys that have gone without a word are noticed.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // Envoy Gateway would go on asking a node that is lost for as long as its kernel does; so it connects anew each time.
  'grpc.max_connection_idle_ms': 5_000,
};

/**
 * Serves Envoy Gateway, which asks how InferencePools are backends, and Envoys, which ask for their endpoints. Rejects where
 * it cannot listen there.
 */
export async function startPoolServer(
  listen: { readonly host: string; readonly port: number },
  options: PoolServerOptions,
): Promise<PoolServer> {
  const { hooks, certificates } = options;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    ...KEEPALIVE,
  });
  server.addService(grpcService(EnvoyGatewayExtension), {
    postRouteModify: hookHandler('route', hooks.postRouteModify, options),
    postTranslateModify: hookHandler('translation', hooks.postTranslateModify, options),
  });
  server.addService(grpcService(EndpointDiscoveryService), {
    streamEndpoints: endpointHandler({ ...options, signal: ending.signal }),
  });
  const credentials = experimental.createCertificateProviderServerCredentials(certificates, certificates, true);
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(addressText(listen), credentials, (error, at) => (error ? reject(error) : resolve(at)));
  });
  return {
    port: bound,
    async close() {
      ending.abort();
      const gone = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      const timer = setTimeout(() => server.forceShutdown(), CLOSE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}
