import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import type { ConnectionSettings } from './access';

/** Connections to one API server, of one set of certificates. */
export interface Connections {
  /** A few, kept open between requests. */
  readonly requests: Dispatcher;
  /** One for each watch. */
  readonly watches: Dispatcher;
}

/** Connections for requests that end soon. */
const MAX_REQUESTS = 8;

/** Milliseconds. Keep-alive stays below what load balancers on the way forget after. */
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;

/** HTTP/1.1, where a watch that hangs holds up nothing else. Time limits of requests are the caller's. */
export function openConnections({ tls, proxy }: ConnectionSettings): Connections {
  const limits = { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: KEEP_ALIVE_MS, pipelining: 1, allowH2: false };
  const open = (connections: number | null) =>
    proxy === undefined
      ? new Agent({
          ...limits,
          connections,
          connect: { ...tls, timeout: CONNECT_TIMEOUT_MS, keepAliveInitialDelay: KEEP_ALIVE_MS },
        })
      : new ProxyAgent({ ...limits, connections, uri: proxy, requestTls: tls });
  return { requests: open(MAX_REQUESTS), watches: open(null) };
}

export async function destroyConnections({ requests, watches }: Connections): Promise<void> {
  await Promise.all([requests.destroy(), watches.destroy()]);
}

/** Lets requests and watches that are under way come to their ends. */
export function retireConnections({ requests, watches }: Connections): void {
  for (const dispatcher of [requests, watches]) dispatcher.close().catch(() => undefined);
}
