import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1EndpointSlice } from '@kubernetes/client-node';
import { inTurns } from '../../runtime/controller/in-turns';
import { type Cluster, startCluster } from './support/cluster';
import { type ControllerProcess, controllerProcesses } from './support/controller-processes';
import { gatewayConfig } from './support/gateway-config';

/* A gateway of 100 models with 1,000 pods. What is measured is printed; the bounds are far above it, for a busy machine. */

const SCHEDULERS = 100;
const PODS = 1_000;
const GROUP = 'inference.sagemaker.aws.amazon.com';
const POD_PATH = '/api/v1/namespaces/team/pods';
const SLICE_PATH = '/apis/discovery.k8s.io/v1/namespaces/team/endpointslices';

let cluster: Cluster;
let config: ReturnType<typeof gatewayConfig>;
let controller: ControllerProcess;

beforeAll(async () => {
  // Routers and pickers are there, and do nothing.
  cluster = await startCluster({ images: { 'inference-gateway': { inert: true } } });
  config = gatewayConfig(cluster, 'team', 'big');
  controller = (await controllerProcesses(cluster)).start('controller-1');
  await cluster.until('it is ready', () => controller.isReady(), { timeout: 90_000 });
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  await inTurns([...Array(PODS).keys()], 16, createPod);
}, 300_000);
afterAll(async () => {
  await controller?.daemon.stop();
  await cluster?.close();
});

async function createPod(index: number): Promise<void> {
  const metadata = { name: `pod-${index}`, namespace: 'team', labels: { model: `m${index % SCHEDULERS}` } };
  const spec = { nodeName: 'nowhere', containers: [{ name: 'c', image: 'x' }] };
  await cluster.client.create(POD_PATH, { metadata, spec });
  await setReady(index, true);
}

async function setReady(index: number, ready: boolean): Promise<void> {
  const ip = `10.250.${index >> 8}.${index & 255}`;
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions };
  await cluster.client.merge(`${POD_PATH}/pod-${index}/status`, { status });
}

async function readings(): Promise<{ memoryMiB: number; cpuSeconds: number; reconciles: number }> {
  const { pid } = controller.daemon;
  const [status, stat, metrics] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8'),
    readFile(`/proc/${pid}/stat`, 'utf8'),
    controller.metrics(),
  ]);
  const [user = 0, system = 0] = stat.split(' ').slice(13, 15).map(Number);
  const counts = [...metrics.matchAll(/^inference_gateway_controller_reconcile_duration_seconds_count.* (\d+)$/gm)];
  return {
    memoryMiB: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
    cpuSeconds: (user + system) / 100,
    reconciles: counts.reduce((sum, [, count]) => sum + Number(count), 0),
  };
}

const settled = async () => {
  const { metadata, status } = await config.read();
  return status?.observedGeneration === metadata.generation && status.schedulers?.length === SCHEDULERS;
};

test('100 schedulers are set up, and one of them is changed', async () => {
  const scheduler = (index: number) => ({
    name: `m${index}`,
    modelName: `models/m${index}`,
    modelSelector: { matchLabels: { model: `m${index}` } },
    replicas: 1,
  });
  const schedulers = [...Array(SCHEDULERS).keys()].map(scheduler);
  const spec = { bbr: { enabled: true, replicas: 1 }, tls: {}, endpoint: { type: 'clusterIP' }, schedulers };
  const before = await readings();
  const from = performance.now();
  await cluster.apply({
    apiVersion: `${GROUP}/v1alpha1`,
    kind: 'InferenceGatewayConfig',
    metadata: { name: 'big', namespace: 'team' },
    spec,
  });
  await cluster.until('all are set up', settled, { timeout: 180_000 });
  const setUpSeconds = (performance.now() - from) / 1000;
  const after = await readings();

  const edited = performance.now();
  await cluster.client.merge(config.path, {
    spec: { schedulers: [{ ...schedulers[0], targetPort: 9000 }, ...schedulers.slice(1)] },
  });
  await cluster.until('the change', async () => {
    const slice = await cluster.client.get<V1EndpointSlice>(`${SLICE_PATH}/m0-pool-ipv4-0`);
    return slice.ports?.[0]?.port === 9000 && (await settled());
  });
  const editSeconds = (performance.now() - edited) / 1000;

  console.log(
    `set up in ${setUpSeconds.toFixed(1)} s with ${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s of CPU; an edit takes ${editSeconds.toFixed(2)} s; ${after.memoryMiB.toFixed(0)} MiB at most`,
  );
  expect(after.memoryMiB).toBeLessThan(768);
  expect(editSeconds).toBeLessThan(20);
}, 240_000);

test('pods that come and go are in their slices well within a second, and cost no look at the whole gateway each', async () => {
  await cluster.until(
    'quiet',
    async () => {
      const former = await readings();
      await sleep(5_000);
      return (await readings()).reconciles === former.reconciles;
    },
    { timeout: 120_000 },
  );
  const before = await readings();
  const latencies: number[] = [];
  for (let index = 0; index < 40; index++) {
    const ready = index % 2 === 1;
    const pod = 500 + (index >> 1);
    await setReady(pod, ready);
    const from = performance.now();
    await cluster.until(
      'the slice',
      async () => {
        const slice = await cluster.client.get<V1EndpointSlice>(`${SLICE_PATH}/m${pod % SCHEDULERS}-pool-ipv4-0`);
        return slice.endpoints?.find(({ targetRef }) => targetRef?.name === `pod-${pod}`)?.conditions?.ready === ready;
      },
      { every: 5 },
    );
    latencies.push(performance.now() - from);
  }
  await sleep(5_000);
  const after = await readings();
  latencies.sort((a, b) => a - b);
  const [median = 0, most = 0] = [latencies[latencies.length >> 1], latencies.at(-1)];

  console.log(
    `pod to slice: ${median.toFixed(0)} ms in the middle, ${most.toFixed(0)} ms at most; ${after.reconciles - before.reconciles} reconciles for 40 changes, ${(after.cpuSeconds - before.cpuSeconds).toFixed(1)} s of CPU`,
  );
  expect(median).toBeLessThan(500);
  expect(after.reconciles - before.reconciles).toBeLessThan(40);
}, 180_000);
