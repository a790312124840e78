import { CONNECTION_BUFFER_BYTES } from '../../envoy/connection-buffer';
import { DESTINATION_ENDPOINT_HEADER } from '../../envoy/control-headers';
import {
  CONNECT_TIMEOUT_MS,
  IDLE_CONNECTION_MS,
  PROCESSOR_CONNECT_TIMEOUT_MS,
  PROCESSOR_CONNECTION_WINDOW,
  PROCESSOR_RETRY_BACK_OFF,
  PROCESSOR_STREAM_WINDOW,
  RETRY_BACK_OFF,
  retryTriggers,
  STREAM_IDLE_MS,
  TCP_KEEPALIVE,
  UNLIMITED,
} from '../../envoy/upstream-settings';
import type { RetryState } from '../../gateway-state';
import { gatewayDuration } from '../durations';

const OPEN_CIRCUIT_BREAKER = {
  maxConnections: UNLIMITED,
  maxPendingRequests: UNLIMITED,
  maxParallelRequests: UNLIMITED,
  maxParallelRetries: UNLIMITED,
} as const;

/** Quantities of the kinds of Envoy Gateway. */
const BUFFER_LIMIT = `${CONNECTION_BUFFER_BYTES / 1024}Ki`;

/** How requests go to model pods: fields of a BackendTrafficPolicy. */
export function modelTraffic(retry: RetryState) {
  return {
    loadBalancer: {
      type: 'LeastRequest',
      endpointOverride: { extractFrom: [{ header: DESTINATION_ENDPOINT_HEADER }] },
    },
    // A pod that is not ready is no better than none.
    healthCheck: { panicThreshold: 0 },
    circuitBreaker: OPEN_CIRCUIT_BREAKER,
    connection: { bufferLimit: BUFFER_LIMIT },
    tcpKeepalive: {
      probes: TCP_KEEPALIVE.probes,
      idleTime: `${TCP_KEEPALIVE.idleSeconds}s`,
      interval: `${TCP_KEEPALIVE.intervalSeconds}s`,
    },
    timeout: {
      tcp: { connectTimeout: gatewayDuration(CONNECT_TIMEOUT_MS) },
      http: {
        connectionIdleTimeout: gatewayDuration(IDLE_CONNECTION_MS),
        // Generation takes as long as it takes; the stream idle time-out ends what has died. A route may say less.
        requestTimeout: '0s',
        streamIdleTimeout: gatewayDuration(STREAM_IDLE_MS),
      },
    },
    retry: retrySettings(retry),
  };
}

/** Also for none at all: what a route does not say is the Gateway's. */
export function retrySettings(retry: RetryState) {
  return {
    numRetries: retry.attempts,
    retryOn: { triggers: retryTriggers(retry) },
    perRetry: perRetry(RETRY_BACK_OFF),
  };
}

function perRetry({ baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number }) {
  return { backOff: { baseInterval: gatewayDuration(baseMs), maxInterval: gatewayDuration(maxMs) } };
}

/**
 * How Envoy asks the routers. One that cannot be connected to, or breaks a connection, is left at once and asked again
 * after 5 s: a retry alone is not enough, because it may fall on the dead one again. One that hangs is found by pings,
 * well before the message time-out. What a router answers counts for little, lest one request that it fails at takes
 * all routers away.
 */
export function routerTraffic() {
  return {
    retry: {
      numRetries: 3,
      retryOn: { triggers: ['connect-failure', 'unavailable', 'reset'] },
      perRetry: perRetry(PROCESSOR_RETRY_BACK_OFF),
    },
    healthCheck: {
      // All are left: then each is as good as any.
      panicThreshold: 1,
      passive: {
        splitExternalLocalOriginErrors: true,
        consecutiveLocalOriginFailures: 1,
        consecutive5XxErrors: 20,
        interval: '1s',
        baseEjectionTime: '5s',
        maxEjectionPercent: 100,
      },
    },
    circuitBreaker: OPEN_CIRCUIT_BREAKER,
    connection: { bufferLimit: BUFFER_LIMIT },
    http2: {
      initialStreamWindowSize: `${PROCESSOR_STREAM_WINDOW / 1024 ** 2}Mi`,
      initialConnectionWindowSize: `${PROCESSOR_CONNECTION_WINDOW / 1024 ** 2}Mi`,
      maxConcurrentStreams: UNLIMITED,
      connectionKeepalive: { interval: '4s', timeout: '3s' },
    },
    timeout: { tcp: { connectTimeout: gatewayDuration(PROCESSOR_CONNECT_TIMEOUT_MS) } },
  };
}
