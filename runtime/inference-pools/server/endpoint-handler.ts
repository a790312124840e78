import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type {
  DiscoveryRequest,
  DiscoveryResponse,
} from '../../envoy-api/generated/envoy/service/discovery/v3/discovery_pb';
import { cutText } from '../../kubernetes/cut-text';
import { DiscoveryStream } from '../discovery/discovery-stream';
import type { EndpointSource } from '../discovery/endpoint-source';
import type { PoolMetrics } from '../metrics';
import { ENDPOINTS_PEER, refusal } from './peer';

export interface EndpointHandlerOptions {
  readonly source: EndpointSource;
  readonly log: Logger;
  readonly metrics: PoolMetrics;
  /** Ends every stream: Envoys then ask another. */
  readonly signal: AbortSignal;
}

/** Of an Envoy's text in a log. Bytes. */
const MOST_REASON = 500;

type Call = ServerDuplexStream<DiscoveryRequest, DiscoveryResponse>;

/** Tells Envoys of endpoints, stream by stream, for as long as they want. */
export function endpointHandler({ source, log, metrics, signal }: EndpointHandlerOptions) {
  return (call: Call): void => {
    const refused = refusal(call, ENDPOINTS_PEER);
    if (refused) return void call.emit('error', refused);
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
      signal.removeEventListener('abort', end);
      stream.close();
    };
    const end = () => {
      close();
      call.end();
    };
    signal.addEventListener('abort', end, { once: true });
    call.on('data', (request: DiscoveryRequest) => {
      if (!isOpen) return;
      try {
        stream.receive(request);
      } catch (error) {
        // So the Envoy is told; one whose stream is only destroyed here would wait on it for ever.
        call.emit('error', error);
      }
    });
    call.on('end', end);
    for (const event of ['error', 'close', 'cancelled']) call.on(event, close);
  };
}
