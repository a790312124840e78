import type { RetryState } from '../gateway-state';

/* How Envoy treats the pods and the processor, whoever writes its configuration. Times are milliseconds. */

export const CONNECT_TIMEOUT_MS = 2_000;

/**
 * To the processor. A worker that accepts hundreds of connections in one turn looks at this one late: a short timeout
 * would let all that waits for it fail open at once. A processor that is dead refuses, which takes no time.
 */
export const PROCESSOR_CONNECT_TIMEOUT_MS = 5_000;

/**
 * Time to put a dead processor aside before the next is asked. Short, since with all of them dead each request waits for
 * all of it before Envoy goes on alone: what Envoy takes of itself for gRPC is a second at first.
 */
export const PROCESSOR_RETRY_BACK_OFF = { baseMs: 50, maxMs: 500 } as const;

/** Uvicorn, which serves vLLM, SGLang and others, closes an idle connection after 5 s: be first. */
export const IDLE_CONNECTION_MS = 4_000;

/** A request or response that moves no byte for so long ends. */
export const STREAM_IDLE_MS = 600_000;

/** For a request's headers to arrive, and for all of it: its body is held in memory meanwhile. */
export const HEADERS_RECEIVED_MS = 30_000;
export const REQUEST_RECEIVED_MS = 300_000;

/** A node that vanishes sends no reset; a frozen pod still answers these probes. Seconds. */
export const TCP_KEEPALIVE = { probes: 3, idleSeconds: 30, intervalSeconds: 10 } as const;

/** No limit of Envoy's may refuse what the picker has admitted. */
export const UNLIMITED = 1_000_000;

/** HTTP/2 windows towards the processor, which reads whole bodies. Bytes. */
export const PROCESSOR_STREAM_WINDOW = 1024 * 1024;
export const PROCESSOR_CONNECTION_WINDOW = 16 * 1024 * 1024;

export const DEFAULT_RETRY: RetryState = { attempts: 2, afterDispatch: true };

/** Each attempt takes the next of the endpoints that the picker named. */
export const RETRY_BACK_OFF = { baseMs: 5, maxMs: 50 } as const;

/** When a request goes on. `reset` is a connection that broke after the request was sent. */
export function retryTriggers({ afterDispatch }: RetryState): readonly string[] {
  return afterDispatch ? ['connect-failure', 'reset', 'refused-stream'] : ['connect-failure', 'refused-stream'];
}
