import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProbeServerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** The page of `/metrics`; undefined: there is none yet. */
  readonly page: () => Promise<{ readonly contentType: string; readonly text: string }> | undefined;
  /** Whether traffic may be sent here. */
  readonly ready: () => boolean;
  /** Lines for people that `/readyz` has after the word that counts. */
  readonly details?: () => readonly string[];
}

export interface ProbeServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics`, `/healthz` (200 as long as the process can answer at all) and `/readyz` (200 or 503). Rejects
 * when the port is taken.
 */
export async function startProbeServer(options: ProbeServerOptions): Promise<ProbeServer> {
  const { host, port, page, ready, details = () => [] } = options;
  const server = createServer((request, response) => {
    const say = (status: number, text: string, contentType = 'text/plain') =>
      response.writeHead(status, { 'content-type': contentType }).end(text);
    const target = request.method === 'GET' ? request.url : undefined;
    if (target === '/healthz') return say(200, 'ok\n');
    if (target === '/readyz') {
      const [status, word] = ready() ? [200, 'ok'] : [503, 'not ready'];
      return say(status, [word, ...details(), ''].join('\n'));
    }
    if (target !== '/metrics') return say(404, '');
    const made = page();
    if (made === undefined) return say(503, 'not ready\n');
    return made.then(
      ({ contentType, text }) => say(200, text, contentType),
      () => say(500, ''),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
