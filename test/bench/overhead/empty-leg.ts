import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BOOTSTRAP_FILE, envoyResourceFiles } from '../../../lib/translate/envoy';
import { startChild } from './child-process';
import type { EmptyProcessorRequest } from './empty-processor';
import { freePort, startEnvoy } from './envoy';
import type { Leg, LegOptions } from './leg';

/** As the contract's default for `spec.bbr.maxRequestBodyBytes`. */
const MAX_REQUEST_BODY_BYTES = 268_435_456;

/** Leg (c): the product's own Envoy configuration, with a processor that does nothing behind it. */
export async function startEmptyLeg(options: LegOptions, processorScript: string): Promise<Leg> {
  const port = await freePort();
  const socket = join(options.folder, 'processor.sock');
  const processor = startChild<EmptyProcessorRequest, null>(processorScript);
  await processor.call({ socket });
  await writeConfiguration(options, port, socket);
  const envoy = await startEnvoy(options.envoyBinary, join(options.folder, BOOTSTRAP_FILE), port);
  return {
    name: 'empty',
    port,
    pids: () => ({ envoy: envoy.pid, processor: processor.pid }),
    async close() {
      await envoy.close();
      await processor.close();
    },
  };
}

async function writeConfiguration(options: LegOptions, port: number, processorSocket: string): Promise<void> {
  const { folder, model, pods, podPort } = options;
  const endpoints = pods.map((ip, i) => ({ address: `${ip}:${podPort}`, pod: `default/bench-${i}`, ready: true }));
  const files = envoyResourceFiles(
    {
      maxRequestBodyBytes: MAX_REQUEST_BODY_BYTES,
      // With one scheduler, requests that the processor does not route go to its pods.
      schedulers: [{ namespace: 'default', name: 'bench', modelName: model, endpoints }],
    },
    {
      directory: folder,
      listen: { host: '127.0.0.1', port },
      admin: { pipe: join(folder, 'admin.sock') },
      processor: { pipe: processorSocket },
    },
  );
  for (const { path, content } of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
