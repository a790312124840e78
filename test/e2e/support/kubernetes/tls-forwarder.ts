import { createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** How a client of HTTP/2 begins. */
const HTTP2_PREFACE = Buffer.from('PRI ');

export interface TlsForwarder {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  close(): void;
}

/**
 * Lets tests that speak plain HTTP reach a gateway that only speaks HTTPS: each connection goes on as a verified TLS
 * connection, with the protocol that the client has begun with.
 */
export async function startTlsForwarder(host: string, port: number, ca: string): Promise<TlsForwarder> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    open.add(client);
    client.once('close', () => open.delete(client));
    client.on('error', () => client.destroy());
    client.once('data', (first) => {
      client.pause();
      const protocol = first.subarray(0, HTTP2_PREFACE.length).equals(HTTP2_PREFACE) ? 'h2' : 'http/1.1';
      const gateway = connectTls({ host, port, ca, servername: host, ALPNProtocols: [protocol] });
      gateway.setNoDelay(true);
      gateway.on('error', () => client.destroy());
      client.on('close', () => gateway.destroy());
      gateway.write(first);
      // The end of one side is the end of that side alone: a client may half-close.
      client.pipe(gateway);
      gateway.pipe(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${own}`,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
