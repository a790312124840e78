import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnGuarded } from '../../../runtime/local/guarded-process';

export interface RunningEnvoy {
  readonly pid: number;
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 15_000;
const POLL_MS = 20;
const LOG_CHARACTERS = 2_000;

/** Starts Envoy with one worker; resolves once it listens on `port` of 127.0.0.1. */
export async function startEnvoy(binary: string, bootstrapFile: string, port: number): Promise<RunningEnvoy> {
  const envoy = await spawnGuarded(binary, [
    ...['-c', bootstrapFile, '--concurrency', '1'],
    ...['--log-level', 'error', '--disable-hot-restart'],
  ]);
  let log = '';
  envoy.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-LOG_CHARACTERS);
  });
  const close = async () => {
    envoy.kill('SIGTERM');
    await envoy.exited;
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await accepts(port))) {
    if (performance.now() > deadline) {
      await close();
      throw new Error(`Envoy does not listen on port ${port}: ${log}`);
    }
    await sleep(POLL_MS);
  }
  return { pid: envoy.pid, close };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
