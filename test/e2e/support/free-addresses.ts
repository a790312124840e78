import { createServer } from 'node:net';

/** `count` loopback addresses that nobody else uses, and a port that is free on all of them. */
export async function freeAddresses(count: number): Promise<{ hosts: readonly string[]; port: number }> {
  for (let attempt = 0; attempt < 20; attempt++) {
    // Drawn, so that test processes beside each other do not meet. 127.77 is the demo's.
    const network = `127.${80 + Math.floor(Math.random() * 170)}.${Math.floor(Math.random() * 256)}`;
    const hosts = Array.from({ length: count }, (_, index) => `${network}.${index + 1}`);
    const port = await listenOnce(hosts[0] ?? '127.0.0.1', 0);
    const others = await Promise.all(hosts.slice(1).map((host) => listenOnce(host, port!)));
    if (port !== undefined && !others.includes(undefined)) return { hosts, port };
  }
  throw new Error('no port is free on all addresses of the pods');
}

/** The port that could be listened on; undefined when it is taken. */
function listenOnce(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const { port: taken } = server.address() as { port: number };
      server.close(() => resolve(taken));
    });
  });
}
