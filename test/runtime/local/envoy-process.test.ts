import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { type EnvoyFile, envoyResourceFiles } from '../../../lib/translate/envoy';
import { findEnvoy } from '../../../runtime/local/envoy-binary';
import { type EnvoyProcess, startEnvoyProcess } from '../../../runtime/local/envoy-process';

let folder: string;
let envoy: EnvoyProcess | undefined;
let pod: Server;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'envoy-process-'));
  pod = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => pod.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await envoy?.close();
  envoy = undefined;
  pod.closeAllConnections();
  await new Promise((resolve) => pod.close(resolve));
  await rm(folder, { recursive: true });
});

/** One scheduler of one pod. */
const filesFor =
  (scheduler: string) =>
  (port: number): readonly EnvoyFile[] => {
    const address = `127.0.0.1:${(pod.address() as AddressInfo).port}`;
    const endpoints = [{ address, pod: 'default/pod', ready: true }];
    return envoyResourceFiles(
      { maxRequestBodyBytes: 1024, schedulers: [{ namespace: 'default', name: scheduler, endpoints }] },
      {
        directory: folder,
        listen: { host: '127.0.0.1', port },
        admin: { pipe: join(folder, 'admin.sock') },
        processor: { pipe: join(folder, 'none.sock') },
      },
    );
  };

/** A cluster's time-out below zero, which Envoy refuses. */
const refused = (port: number): readonly EnvoyFile[] =>
  filesFor('other')(port).map((file) =>
    file.path === 'clusters.json' && file.applied
      ? {
          ...file,
          content: file.content.replace('"connect_timeout":"2s"', '"connect_timeout":"-2s"'),
          applied: { ...file.applied, version: 'never' },
        }
      : file,
  );

async function start(): Promise<EnvoyProcess> {
  envoy = await startEnvoyProcess({
    binary: await findEnvoy(),
    workDir: folder,
    adminSocket: join(folder, 'admin.sock'),
    concurrency: 1,
    port: 0,
    files: filesFor('first'),
    log: pino({ level: 'silent' }),
  });
  return envoy;
}

/** The status of a request, once there is an answer. */
async function answer(port: number): Promise<number> {
  for (let i = 0; ; i++) {
    try {
      return (await fetch(`http://127.0.0.1:${port}/`)).status;
    } catch (error) {
      if (i === 500) throw error;
      await sleep(10);
    }
  }
}

test('a configuration that Envoy refuses is an error, and is not what the next Envoy starts with', async () => {
  const running = await start();
  expect(await answer(running.port)).toBe(200);
  await expect(running.publish(refused)).rejects.toThrow('Envoy refused the new configuration');

  const before = running.pid()!;
  process.kill(before, 'SIGKILL');
  for (let i = 0; i < 500 && (running.pid() ?? before) === before; i++) await sleep(10);

  expect(await answer(running.port)).toBe(200);
  await running.publish(filesFor('second'));
});

test('after closing nothing is written any more', async () => {
  const running = await start();
  envoy = undefined;
  await running.close();
  await rm(folder, { recursive: true });

  await running.publish(filesFor('second'));

  // It would have made the folder anew.
  await expect(rm(folder, { recursive: true })).rejects.toThrow('ENOENT');
  folder = await mkdtemp(join(tmpdir(), 'envoy-process-'));
});
