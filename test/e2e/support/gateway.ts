import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { findEnvoy } from '../../../runtime/local/envoy-binary';
import { type LocalGateway, startLocalGateway } from '../../../runtime/local/local-gateway';
import { until } from '../../support/until';
import { freeAddresses } from './free-addresses';
import { gatewayObject, podFlags, podObject } from './gateway-objects';
import { startInCluster } from './kubernetes/cluster-gateway';
import { COMMAND, startPodProcess } from './pod-process';
import { send } from './send';
import type { Fields, TestGateway, TestGatewayOptions, TestPod, TestPodOptions } from './test-gateway';

export { adaptersObject, rewriteObject } from './gateway-objects';
export type { TestGateway, TestGatewayOptions } from './test-gateway';

/** Picker processes, where a test does not say: IGW_TEST_PICKERS runs the same tests against processes of their own. */
const PICKERS = Number(process.env.IGW_TEST_PICKERS ?? 0);

/** The gateways of this run are made by the controller in a cluster. */
export const IN_CLUSTER = process.env.IGW_TEST_KUBERNETES !== undefined;

/**
 * A gateway and a process for every pod: as `inference-gateway local` runs it, or with IGW_TEST_KUBERNETES as the
 * controller makes it in a cluster. Rejects with nothing left running.
 */
export async function startTestGateway(options: TestGatewayOptions): Promise<TestGateway> {
  return IN_CLUSTER ? startInCluster(options) : startOnThisMachine(options);
}

async function startOnThisMachine(options: TestGatewayOptions): Promise<TestGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'igw-e2e-'));
  const { hosts, port } = await freeAddresses(options.pods.length);
  const ready = new Map(options.pods.map((pod) => [pod.name, pod.ready ?? true]));
  const labels = new Map<string, Readonly<Record<string, string>>>(
    options.pods.map(({ name, scheduler }) => [name, { app: scheduler }]),
  );
  const logs: string[] = [];
  const pods: TestPod[] = [];
  let local: LocalGateway | undefined;

  const close = async () => {
    await local?.close();
    // A stopped process takes SIGKILL too.
    await Promise.all(pods.map((pod) => pod.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  const write = async (file: string, objects: readonly Fields[]) => {
    const path = join(folder, file);
    if (objects.length === 0) return await rm(path, { force: true });
    await writeFile(`${path}.next`, objects.map((object) => stringify(object)).join('---\n'));
    await rename(`${path}.next`, path);
  };
  const writeConfig: TestGateway['writeConfig'] = (schedulers, spec = options.spec) =>
    write('gateway.yaml', [gatewayObject(schedulers, port, spec ?? {})]);
  const startPod = async (pod: TestPodOptions) => {
    const host = hosts[options.pods.indexOf(pod)];
    pods.push({ ...(await startPodProcess(`${host}:${port}`, podFlags(pod, options.schedulers))), name: pod.name });
  };
  const writePods = () =>
    write(
      'pods.yaml',
      options.pods.map(({ name }, index) => podObject(name, labels.get(name)!, hosts[index]!, ready.get(name)!)),
    );

  try {
    await Promise.all([writeConfig(options.schedulers), writePods(), write('objects.yaml', options.objects ?? [])]);
    const started = await Promise.allSettled(options.pods.filter(({ absent }) => !absent).map(startPod));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    local = await startLocalGateway({
      paths: [folder],
      listen: { host: '127.0.0.1', port: 0 },
      envoy: await findEnvoy(),
      routerScript: COMMAND,
      pickers: options.pickers ?? PICKERS,
      log: pino({ level: 'info' }, { write: (line: string) => void logs.push(line) }),
      logLevel: 'error',
      ...(options.streamIdleTimeoutMs !== undefined && { streamIdleTimeoutMs: options.streamIdleTimeoutMs }),
    });
  } catch (error) {
    await close();
    throw error;
  }

  const { url, pools, state, pids, metricsUrl, pickerMetricsUrls } = local;
  return {
    url,
    local,
    folder,
    pods,
    logs,
    pod(name) {
      const found = pods.find((pod) => pod.name === name);
      if (found === undefined) throw new Error(`no process of a pod ${name}`);
      return found;
    },
    startAbsent: (name) => startPod(options.pods.find((pod) => pod.name === name)!),
    async untilInForce(what, holds) {
      await until(`in force: ${what}`, () => holds(state()));
    },
    signalAll(kind, signal) {
      for (const pid of kind === 'router' ? [pids().router] : pids().pickers) {
        if (pid === undefined) continue;
        try {
          process.kill(pid, signal);
        } catch {
          // It is gone already.
        }
      }
    },
    async untilIdle() {
      await until('no request is in flight', async () => {
        const statuses = await pools();
        return statuses.length > 0 && statuses.every(({ pods }) => pods.every(({ inFlight }) => inFlight === 0));
      });
    },
    async metrics() {
      const urls = [metricsUrl(), ...pickerMetricsUrls()].filter((one) => one !== undefined);
      const pages = await Promise.all(urls.map((one) => send(one, '/metrics')));
      return pages.map(({ body }) => body.toString()).join('');
    },
    address: (name) => `${hosts[options.pods.findIndex((pod) => pod.name === name)]}:${port}`,
    writeConfig,
    async writeReady(changes) {
      for (const [name, value] of Object.entries(changes)) ready.set(name, value);
      await writePods();
    },
    async writeLabels(pod, app, more = {}) {
      labels.set(pod, { app, ...more });
      await writePods();
    },
    writeObjects: write,
    close,
  };
}
