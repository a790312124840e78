import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createSecureContext, createServer as createTlsServer, connect as tlsConnect } from 'node:tls';
import { loadBalancerIp } from '../addresses';
import { LOAD_BALANCER_DOMAIN } from '../services/load-balancers';
import { shell } from '../shell';
import type { CertificateManager } from './certificate-manager';

const PORT = 443;

/** Away from those of the harness. */
const FIRST_IP = 100;
let made = 0;

/** Stands in for a load balancer of AWS with one listener. */
export interface LoadBalancer {
  /** `network gw-envoy`, … */
  readonly name: string;
  readonly hostname: string;
  readonly ip: string;
  /** From now on it shows this certificate of ACM; undefined: it passes connections through. */
  show(certificate: string | undefined): void;
  /** Breaks the connections that are open. */
  close(): Promise<void>;
}

export interface LoadBalancerOptions {
  readonly kind: 'network' | 'application';
  readonly name: string;
  readonly certificate: string | undefined;
  /** Address of the Service. */
  readonly target: string;
  readonly acm: CertificateManager;
}

/**
 * With a certificate it ends the TLS of clients with it, as ACM has it at that moment, and begins another to its target,
 * of which it believes any certificate, as AWS does.
 */
export async function makeLoadBalancer({ kind, name, target, acm, ...given }: LoadBalancerOptions) {
  made += 1;
  const [ip, hostname] = [loadBalancerIp(FIRST_IP + made), `internal-${name}-${made}.${LOAD_BALANCER_DOMAIN}`];
  await shell('ip addr replace "$1/32" dev lo', ip);
  let certificate: string | undefined;
  const open = new Set<Socket>();
  const join = (client: Socket, server: Socket) => {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket);
      socket.pipe(other);
      socket.on('error', () => other.destroy());
      socket.on('close', () => open.delete(socket));
    }
  };
  const to = { host: target, port: PORT };
  const terminating = createTlsServer(
    {
      ALPNProtocols: ['http/1.1'],
      SNICallback(_, answer) {
        const { certificate: cert, chain = '', key } = acm.certificates.get(certificate!)!;
        answer(null, createSecureContext({ cert: cert + chain, key }));
      },
    },
    (client) => join(client, tlsConnect({ ...to, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })),
  );
  const listener = createServer((client) => {
    if (certificate === undefined) join(client, connect(to));
    else terminating.emit('connection', client);
  });
  listener.listen(PORT, ip);
  await once(listener, 'listening');

  const balancer: LoadBalancer = {
    name: `${kind} ${name}`,
    hostname,
    ip,
    show(next) {
      if (next === certificate) return;
      if (next !== undefined) acm.use(next);
      if (certificate !== undefined) acm.release(certificate);
      certificate = next;
    },
    async close() {
      listener.close();
      for (const socket of open) socket.destroy();
      await once(listener, 'close');
      balancer.show(undefined);
    },
  };
  balancer.show(given.certificate);
  return balancer;
}
