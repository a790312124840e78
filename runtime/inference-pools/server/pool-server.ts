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
import { isApiError } from '../../kubernetes/api-error';
import { cutText } from '../../kubernetes/cut-text';
import { DiscoveryStream } from '../discovery/discovery-stream';
import type { EndpointSource } from '../discovery/endpoint-source';
import type { Hook, PoolMetrics } from '../metrics';
import type { ExtensionHooks } from './extension-hooks';

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
  /** Takes nothing new; what is under way may end for two seconds. */
  close(): Promise<void>;
}

/** The configuration of a whole Gateway is one message. Bytes; Envoy Gateway is told the same. */
export const MAX_MESSAGE_BYTES = 64 << 20;

/** Milliseconds. */
const CLOSE_MS = 2_000;

/** Of an Envoy's text in a log. Bytes. */
const MOST_REASON = 500;

/**
 * Serves Envoy Gateway, which asks how InferencePools are backends, and Envoys, which ask for their endpoints. Rejects where
 * it cannot listen at `host:port`.
 */
export async function startPoolServer(
  { host, port }: { readonly host: string; readonly port: number },
  options: PoolServerOptions,
): Promise<PoolServer> {
  const { hooks, certificates } = options;
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    // Envoys that have gone without a word are noticed.
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });
  server.addService(grpcService(EnvoyGatewayExtension), {
    postRouteModify: answering('route', async (request) => hooks.postRouteModify(request as never), options),
    postTranslateModify: answering(
      'translation',
      (request, signal) => hooks.postTranslateModify(request as never, signal),
      options,
    ),
  });
  server.addService(grpcService(EndpointDiscoveryService), {
    streamEndpoints: (call: ServerDuplexStream<DiscoveryRequest, DiscoveryResponse>) => discover(call, options),
  });
  const credentials = experimental.createCertificateProviderServerCredentials(certificates, certificates, true);
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, credentials, (error, at) => (error ? reject(error) : resolve(at)));
  });
  return {
    port: bound,
    async close() {
      const gone = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      const timer = setTimeout(() => server.forceShutdown(), CLOSE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}

function answering(
  hook: Hook,
  answer: (request: unknown, signal: AbortSignal) => Promise<unknown>,
  { log, metrics }: PoolServerOptions,
) {
  return (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>) => {
    const began = performance.now();
    const told = (outcome: 'answered' | 'failed') => metrics.asked(hook, outcome, (performance.now() - began) / 1000);
    const cancelled = new AbortController();
    call.on('cancelled', () => cancelled.abort());
    answer(call.request, cancelled.signal).then(
      (response) => {
        told('answered');
        callback(null, response);
      },
      (error: Error) => {
        told('failed');
        log.error(
          { err: error },
          'Envoy Gateway could not be answered: its Envoys keep the configuration that they have',
        );
        callback({ code: isApiError(error) ? status.UNAVAILABLE : status.INTERNAL, details: error.message });
      },
    );
  };
}

function discover(
  call: ServerDuplexStream<DiscoveryRequest, DiscoveryResponse>,
  { source, log, metrics }: PoolServerOptions,
): void {
  const stream = new DiscoveryStream({
    source,
    send: (response) => call.write(response),
    onRefused: (reason) => log.error(`an Envoy refuses endpoints: ${cutText(reason, MOST_REASON)}`),
  });
  let isOpen = true;
  metrics.streamOpened();
  const close = () => {
    if (isOpen) metrics.streamClosed();
    isOpen = false;
    stream.close();
  };
  call.on('data', (request: DiscoveryRequest) => {
    if (!isOpen) return;
    try {
      stream.receive(request);
    } catch (error) {
      // So the Envoy is told; one whose stream is only destroyed here would wait on it for ever.
      call.emit('error', error);
    }
  });
  call.on('end', () => {
    close();
    call.end();
  });
  for (const event of ['error', 'close', 'cancelled']) call.on(event, close);
}
