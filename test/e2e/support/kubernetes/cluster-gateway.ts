import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ConfigMap, V1Pod } from '@kubernetes/client-node';
import { NODE_IP } from '../../../kubernetes/support/addresses';
import { gatewayConfig } from '../../../kubernetes/support/gateway-config';
import { SYSTEM_NAMESPACE } from '../../../kubernetes/support/install-gateway';
import { gatewayObject, podFlags } from '../gateway-objects';
import { send } from '../send';
import type { Fields, TestGateway, TestGatewayOptions, TestPod } from '../test-gateway';
import { backendOfThisMachine, modelServer, POD_PORT, READY_GATE } from './objects';
import { takeCluster } from './shared-cluster';
import { startTlsForwarder } from './tls-forwarder';

const CONTAINER = 'model-server';
/** Requests that a pod gets besides its scrapes come by Envoy's threads: one has the new routes a moment after the other. */
const SETTLE_MS = 2_000;
/** Enough for a test, where many pods share a machine. */
const SMALL = { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '2Gi' } };

let started = 0;

/** As `startTestGateway`: the same gateway, made by the controller in a cluster. */
export async function startInCluster(options: TestGatewayOptions): Promise<TestGateway> {
  const cluster = await takeCluster();
  started += 1;
  const name = `test-${started}`;
  const namespace = `e2e-${started}`;
  const { client, kubelet } = cluster;
  const podPath = (pod: string) => `/api/v1/namespaces/${namespace}/pods/${pod}`;
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
  const setReady = (pod: string, value: boolean) =>
    client.patch(`${podPath(pod)}/status`, {
      status: { conditions: [{ type: READY_GATE, status: value ? 'True' : 'False' }] },
    });
  const untilObserved = () => gatewayConfig(cluster, namespace, name).untilCondition('Ready', 'True');

  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await cluster.apply(options.pods.map((pod) => modelServer(namespace, pod, podFlags(pod, options.schedulers))));
  const { defaultBackend } = (options.spec?.bbr ?? {}) as { defaultBackend?: { name: string; port: number } };
  if (defaultBackend) await cluster.apply(backendOfThisMachine(namespace, defaultBackend, NODE_IP));
  await writeObjects('objects.yaml', options.objects ?? []);
  await writeConfig(options.schedulers);
  const ips = new Map<string, string>();
  for (const pod of options.pods) {
    const { status } = await cluster.until(
      `containers of ${pod.name}`,
      async () => {
        const found = await client.get<V1Pod>(podPath(pod.name));
        const running = found.status?.conditions?.some(
          (one) => one.type === 'ContainersReady' && one.status === 'True',
        );
        return running && found;
      },
      { timeout: 60_000 },
    );
    ips.set(pod.name, status!.podIP!);
    await setReady(pod.name, pod.ready ?? true);
  }
  await untilObserved();
  const { data } = await client.get<V1ConfigMap>(`/api/v1/namespaces/${namespace}/configmaps/${name}-ca`);
  const forwarder = await startTlsForwarder(`${name}-envoy.${SYSTEM_NAMESPACE}.svc`, 443, data!['ca.crt']!);

  const address = (pod: string) => `${ips.get(pod)}:${POD_PORT}`;
  const podOf = (pod: string): TestPod => {
    const url = `http://${address(pod)}`;
    const log = async () => (await send(url, '/simulator/requests')).json();
    const signal = (which: NodeJS.Signals) => kubelet.killContainer(namespace, pod, CONTAINER, which);
    return {
      name: pod,
      address: address(pod),
      pid: onlyLocal('the pid of a pod'),
      kill: async () => signal('SIGKILL'),
      freeze: () => signal('SIGSTOP'),
      thaw: () => signal('SIGCONT'),
      restart: onlyLocal('a restart by hand'),
      async faults(faults) {
        await send(url, '/simulator/faults', { body: JSON.stringify(faults) });
      },
      requests: async () => (await log()).requests,
      total: async () => (await log()).total,
    };
  };
  const pods = options.pods.filter(({ absent }) => !absent).map((pod) => podOf(pod.name));
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
    startAbsent: onlyLocal('an absent pod that is started'),
    async untilInForce() {
      await untilObserved();
      await sleep(SETTLE_MS);
    },
    killRouters() {
      for (const { metadata, status } of cluster.pods.list()) {
        if (metadata?.namespace !== SYSTEM_NAMESPACE || metadata.labels?.app !== `${name}-bbr`) continue;
        const running = status?.containerStatuses?.find((one) => one.state?.running !== undefined);
        if (running === undefined) continue;
        try {
          kubelet.killContainer(SYSTEM_NAMESPACE, metadata.name!, running.name, 'SIGKILL');
        } catch {
          // It is gone already.
        }
      }
    },
    untilIdle: onlyLocal('the ledger'),
    metrics: onlyLocal('the metrics pages'),
    writeConfig,
    async writeReady(changes) {
      for (const [pod, value] of Object.entries(changes)) await setReady(pod, value);
    },
    writeObjects,
    async close() {
      forwarder.close();
    },
  };
}

function onlyLocal(what: string): () => never {
  return () => {
    throw new Error(`${what}: only where the gateway runs on this machine`);
  };
}
