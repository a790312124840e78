import { unlink } from 'node:fs/promises';
import { connect, type Server } from 'node:net';

/** Where a server listens: a TCP address (port 0: any free port), or the path of a Unix socket. */
export type ListenAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** Resolves with the address that was given; rejects when it cannot be had (`EADDRINUSE`, `EACCES`, …). */
export async function listen(server: Server, address: ListenAddress): Promise<ListenAddress> {
  try {
    await listenOnce(server, address);
  } catch (error) {
    // A process that was killed leaves its socket file behind, and nobody answers on it.
    if (!('path' in address) || !isInUse(error) || (await isAnswered(address.path))) throw error;
    await unlink(address.path);
    await listenOnce(server, address);
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return address;
  return { host: bound.address, port: bound.port };
}

function listenOnce(server: Server, address: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
