import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { NODE_IP } from '../../../kubernetes/support/addresses';
import { gatewayConfig } from '../../../kubernetes/support/gateway-config';
import { SYSTEM_NAMESPACE } from '../../../kubernetes/support/install-gateway';
import { gatewayObject } from '../gateway-objects';
import { readings } from '../readings';
import type { Fields, TestGateway, TestGatewayOptions } from '../test-gateway';
import { type GatewayParts, gatewayParts } from './gateway-parts';
import { startModelPods } from './model-pods';
import { backendOfThisMachine, POD_PORT } from './objects';
import { onlyLocal } from './only-local';
import { takeCluster } from './shared-cluster';
import { startTlsForwarder } from './tls-forwarder';

/** Requests that a pod gets besides its scrapes come by Envoy's threads: one has the new routes a moment after the other. */
const SETTLE_MS = 2_000;
/** Enough for a test, where many pods share a machine. */
const SMALL = { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '2Gi' } };

/** The first pods of a model count so much later than they are ready, at most. */
const FIRST_PODS_MS = 4_000;

let started = 0;

/** As `startTestGateway`: the same gateway, made by the controller in a cluster. */
export async function startInCluster(options: TestGatewayOptions): Promise<TestGateway> {
  const cluster = await takeCluster();
  started += 1;
  const name = `test-${started}`;
  const namespace = `e2e-${started}`;
  const config = gatewayConfig(cluster, namespace, name);
  const files = new Map<string, readonly Fields[]>();

  const applied = (objects: readonly Fields[]) =>
    objects.map((object) => ({ ...object, metadata: { ...(object.metadata as object), namespace } }));
  const writeObjects: TestGateway['writeObjects'] = async (file, objects) => {
    const before = files.get(file) ?? [];
    files.set(file, objects);
    const key = ({ kind, metadata }: Fields) => `${kind}/${(metadata as { name: string }).name}`;
    const kept = new Set(objects.map(key));
    if (objects.length > 0) await cluster.apply(applied(objects));
    for (const gone of before.filter((one) => !kept.has(key(one)))) {
      await cluster.kubectl(['-n', namespace, 'delete', ...key(gone).split('/'), '--wait=false']);
    }
  };
  const writeConfig: TestGateway['writeConfig'] = (schedulers, spec = options.spec) => {
    const small = { podDefaults: { resources: SMALL }, envoy: { minReplicas: 1, maxReplicas: 1, resources: SMALL } };
    const cluster_ = { endpoint: { type: 'clusterIP' }, tls: {} };
    return cluster.apply(gatewayObject(schedulers, POD_PORT, { ...small, ...cluster_, ...spec }, { name, namespace }));
  };
  const untilObserved = () => config.untilCondition('Ready', 'True');

  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const { defaultBackend } = (options.spec?.bbr ?? {}) as { defaultBackend?: { name: string; port: number } };
  if (defaultBackend) await cluster.apply(backendOfThisMachine(namespace, defaultBackend, NODE_IP));
  await writeObjects('objects.yaml', options.objects ?? []);
  await writeConfig(options.schedulers);
  const { pods, address, startAbsent, setReady, setLabels, ...models } = await startModelPods(
    cluster,
    namespace,
    options,
  );
  await untilObserved();
  const { data } = await cluster.client.get<V1ConfigMap>(`/api/v1/namespaces/${namespace}/configmaps/${name}-ca`);
  const parts = gatewayParts(cluster, name);
  if (options.pods.some(({ ready = true }) => ready)) await firstPodsCount(parts);
  const forwarder = await startTlsForwarder(`${name}-envoy.${SYSTEM_NAMESPACE}.svc`, 443, data!['ca.crt']!);

  return {
    url: forwarder.url,
    get local(): never {
      return onlyLocal('LocalGateway')();
    },
    get folder(): never {
      return onlyLocal('the folder of objects')();
    },
    logs: [],
    pods,
    pod(wanted) {
      const found = pods.find((pod) => pod.name === wanted);
      if (found === undefined) throw new Error(`no process of a pod ${wanted}`);
      return found;
    },
    address,
    startAbsent,
    async untilInForce() {
      await untilObserved();
      await sleep(SETTLE_MS);
    },
    ...parts,
    writeConfig,
    async writeReady(changes) {
      for (const [pod, value] of Object.entries(changes)) await setReady(pod, value);
    },
    writeLabels: (pod, app, more = {}) => setLabels(pod, { app, ...more }),
    writeObjects,
    async close() {
      forwarder.close();
      await models.close();
      // It goes while the next ones are made.
      await cluster.client.delete(config.path);
      await cluster.client.delete(`/api/v1/namespaces/${namespace}`);
    },
  };
}

/** Until each picker has ready pods; a model may have none. */
async function firstPodsCount({ metrics }: GatewayParts): Promise<void> {
  const end = performance.now() + FIRST_PODS_MS;
  while (performance.now() < end) {
    const counts = readings(await metrics(), 'inference_pool_ready_pods');
    if (counts.length > 0 && counts.every((count) => count > 0)) return;
    await sleep(100);
  }
}
