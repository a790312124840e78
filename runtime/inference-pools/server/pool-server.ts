import {
  experimental,
  Server,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type {
  DiscoveryRequest,
  DiscoveryResponse,
} from '../../envoy-api/generated/envoy/service/discovery/v3/discovery_pb';
import { EndpointDiscoveryService } from '../../envoy-api/generated/envoy/service/endpoint/v3/eds_pb';
import { EnvoyGatewayExtension } from '../../envoy-api/generated/proto/extension/service_pb';
import { grpcService } from '../../envoy-api/grpc-service';
import { cutText } from '../../kubernetes/cut-text';
import { DiscoveryStream } from '../discovery/discovery-stream';
import type { EndpointSource } from '../discovery/endpoint-source';
import type { ExtensionHooks } from './extension-hooks';

export interface PoolServerOptions {
  readonly hooks: ExtensionHooks;
  readonly source: EndpointSource;
  /** What it shows, and whose certificates it takes: nobody without one is heard. */
  readonly certificates: experimental.CertificateProvider;
  readonly log: Logger;
}

export interface PoolServer {
  readonly port: number;
  /** Takes nothing new; what is under way may end for two seconds. */
  close(): Promise<void>;
}

/** The configuration of a whole Gateway is one message. Bytes; Envoy Gateway is told the same. */
export const MAX_MESSAGE_BYTES = 64 << 20;

/** Envoy Gateway itself would wait for ever. Milliseconds. */
const HOOK_TIMEOUT_MS = 30_000;

/** Milliseconds. */
const CLOSE_MS = 2_000;

/** Of an Envoy's text in a log. Bytes. */
const MOST_REASON = 500;

/**
 * Serves Envoy Gateway, which asks how InferencePools are backends, and Envoys, which ask for their endpoints. Rejects where
 * it cannot listen at `host:port`.
 */
export async function startPoolServer(address: string, options: PoolServerOptions): Promise<PoolServer> {
  const { hooks, source, certificates, log } = options;
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    // Envoys that have gone without a word are noticed.
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  server.addService(grpcService(EnvoyGatewayExtension), {
    postRouteModify: answering(async (request) => hooks.postRouteModify(request as never), log),
    postTranslateModify: answering((request, signal) => hooks.postTranslateModify(request as never, signal), log),
  });
  server.addService(grpcService(EndpointDiscoveryService), {
    streamEndpoints: (call: ServerDuplexStream<DiscoveryRequest, DiscoveryResponse>) => discover(call, source, log),
  });
  const credentials = experimental.createCertificateProviderServerCredentials(certificates, certificates, true);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return {
    port,
    async close() {
      const gone = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      const timer = setTimeout(() => server.forceShutdown(), CLOSE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

function answering(answer: (request: unknown, signal: AbortSignal) => Promise<unknown>, log: Logger) {
  return (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) => {
    const cancelled = new AbortController();
    call.on('cancelled', () => cancelled.abort());
    const signal = AbortSignal.any([cancelled.signal, AbortSignal.timeout(HOOK_TIMEOUT_MS)]);
    answer(call.request, signal).then(
      (response) => callback(null, response),
      (error: Error) => {
        log.warn(
          { err: error },
          'Envoy Gateway could not be answered: its Envoys keep the configuration that they have',
        );
        // It tries again at once where it is told so.
        callback({ code: status.UNAVAILABLE, details: error.message });
      },
    );
  };
}

function discover(
  call: ServerDuplexStream<DiscoveryRequest, DiscoveryResponse>,
  source: EndpointSource,
  log: Logger,
): void {
  const stream = new DiscoveryStream({
    source,
    send: (response) => call.write(response),
    onRefused: (reason) => log.error(`an Envoy refuses endpoints: ${cutText(reason, MOST_REASON)}`),
  });
  call.on('data', (request: DiscoveryRequest) => {
    try {
      stream.receive(request);
    } catch (error) {
      stream.close();
      call.destroy(error as Error);
    }
  });
  call.on('end', () => {
    stream.close();
    call.end();
  });
  for (const event of ['error', 'close', 'cancelled']) call.on(event, () => stream.close());
}
