import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type EnvoyOptions, type EnvoyState, envoyResourceFiles, union } from '../../../lib/translate/envoy';
import { findEnvoy } from '../../../runtime/local/envoy-binary';

export interface LiveEnvoy {
  readonly port: number;
  /** Where it looks for the processor. */
  readonly processorSocket: string;
  /** Make before break, as the supervisor does it; resolves once Envoy has taken everything over. */
  change(next: EnvoyState): Promise<void>;
  stats(filter: string): Promise<string>;
  stop(): Promise<void>;
}

/** A real Envoy with one worker. It has no processor until somebody listens on `processorSocket`. */
export async function startLiveEnvoy(state: EnvoyState, fields: Partial<EnvoyOptions> = {}): Promise<LiveEnvoy> {
  const directory = mkdtempSync(join(tmpdir(), 'envoy-'));
  const admin = join(directory, 'admin.sock');
  const options: EnvoyOptions = {
    directory,
    listen: { host: '127.0.0.1', port: 0 },
    admin: { pipe: admin },
    processor: { pipe: join(directory, 'processor.sock') },
    ...fields,
  };
  let current = state;
  writeFiles(directory, envoyResourceFiles(state, options));
  const envoy = spawn(
    await findEnvoy(),
    [
      ...['-c', join(directory, 'bootstrap.json')],
      ...['--concurrency', '1'],
      ...['--log-level', 'off'],
      '--disable-hot-restart',
    ],
    { stdio: 'ignore' },
  );
  const get = async (path: string) => (await request({ socketPath: admin, path })).body;
  while (!(await get('/ready').catch(() => '')).startsWith('LIVE')) {
    if (envoy.exitCode !== null) throw new Error(`Envoy ended with ${envoy.exitCode}`);
    await sleep(10);
  }
  const listeners = JSON.parse(await get('/listeners?format=json'));

  const publish = async (next: EnvoyState) => {
    const files = envoyResourceFiles(next, options);
    writeFiles(directory, files);
    const expected = files.flatMap(({ applied }) => (applied ? [`${applied.stat}: "${applied.version}"`] : []));
    while (true) {
      const inForce = await get('/stats?filter=version_text$');
      if (expected.every((line) => inForce.includes(line))) return;
      await sleep(5);
    }
  };
  return {
    processorSocket: join(directory, 'processor.sock'),
    port: listeners.listener_statuses[0].local_address.socket_address.port_value,
    async change(next) {
      await publish(union(current, next));
      await publish(next);
      current = next;
    },
    stats: (filter) => get(`/stats?filter=${encodeURIComponent(filter)}`),
    async stop() {
      envoy.kill('SIGKILL');
      if (envoy.exitCode === null && envoy.signalCode === null) await once(envoy, 'exit');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Rejects with Envoy's own words when it does not accept the configuration. */
export async function validateWithEnvoy(state: EnvoyState): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'envoy-'));
  try {
    const options: EnvoyOptions = {
      directory,
      listen: { host: '127.0.0.1', port: 0 },
      admin: { pipe: join(directory, 'admin.sock') },
      processor: { host: '127.0.0.1', port: 9 },
      accessLog: true,
    };
    writeFiles(directory, envoyResourceFiles(state, options));
    const args = ['--mode', 'validate', '--log-level', 'error', '-c', join(directory, 'bootstrap.json')];
    await promisify(execFile)(await findEnvoy(), args);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function writeFiles(directory: string, files: ReadonlyArray<{ path: string; content: string }>): void {
  for (const file of files) {
    const path = join(directory, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.next`, file.content);
    renameSync(`${path}.next`, path);
  }
}

export interface LiveServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Has `server` listen on a free port of 127.0.0.1. */
export async function listenOn(server: Server): Promise<LiveServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      if (server instanceof http.Server) server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** One request on a connection of its own; POST where there is a body. Rejects when the reply does not end well. */
export function request(options: http.RequestOptions & { body?: string | Buffer }): Promise<Reply> {
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const sent = http.request({
      host: '127.0.0.1',
      agent: false,
      method: body === undefined ? 'GET' : 'POST',
      ...rest,
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.end(body);
  });
}
