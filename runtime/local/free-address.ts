import { createServer } from 'node:net';
import { SetupError } from './setup-error';

/** Rejects, in one line that says what to do, when nothing can listen on `host:port`. */
export async function assertFree(host: string, port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE')
      throw new SetupError(`${host}:${port} is in use; free it or choose another with --listen`);
    if (code === 'EACCES')
      throw new SetupError(`${host}:${port} needs privileges; choose a port above 1023 with --listen`);
    if (code === 'EADDRNOTAVAIL')
      throw new SetupError(`this machine has no address ${host}; choose one of its own with --listen`);
    throw new SetupError(`cannot listen on ${host}:${port}: ${code ?? (error as Error).message}`);
  } finally {
    server.close();
  }
}
