import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { startLocalGateway } from '../../../runtime/local/local-gateway';
import { freePort } from './envoy';
import type { Leg, LegOptions } from './leg';

interface GatewayLegOptions {
  /** Worker threads; default 1. */
  readonly envoyConcurrency?: number;
  /** Picker processes; default 0: in the router's. */
  readonly pickers?: 0 | 1;
}

/** Legs (b) and (d): the product, as `inference-gateway local` runs it. */
export async function startGatewayLeg(
  options: LegOptions,
  routerScript: string,
  { envoyConcurrency = 1, pickers = 0 }: GatewayLegOptions = {},
): Promise<Leg> {
  const file = join(options.folder, 'gateway.yaml');
  await writeFile(file, manifests(options));
  const gateway = await startLocalGateway({
    paths: [file],
    listen: { host: '127.0.0.1', port: await freePort() },
    envoy: options.envoyBinary,
    envoyConcurrency,
    pickers,
    routerScript,
    log: pino({ level: 'warn' }, process.stderr),
  });
  return {
    name: pickers === 0 ? 'gateway' : 'split',
    port: Number(new URL(gateway.url).port),
    pids() {
      const { envoy, router, pickers: apart } = gateway.pids();
      const [picker] = apart;
      if (envoy === undefined || router === undefined || (pickers > 0 && picker === undefined)) {
        throw new Error('a process of the gateway is away');
      }
      return { envoy, processor: router, ...(picker !== undefined && { picker }) };
    },
    metricsUrl: () => gateway.metricsUrl(),
    close: () => gateway.close(),
  };
}

/** The objects as YAML: one scheduler, and its pods. */
function manifests({ model, pods, podPort }: LegOptions): string {
  const labels = { app: 'bench' };
  const config = {
    apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'bench', namespace: 'default' },
    spec: {
      bbr: { enabled: true },
      schedulers: [{ name: 'bench', modelName: model, modelSelector: { matchLabels: labels }, targetPort: podPort }],
    },
  };
  const podObjects = pods.map((podIP, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `bench-${i}`, namespace: 'default', labels },
    status: { podIP, conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  // JSON is YAML.
  return [config, ...podObjects].map((object) => `---\n${JSON.stringify(object)}\n`).join('');
}
