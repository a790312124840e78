import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ConfigMap, V1Deployment, V1Lease } from '@kubernetes/client-node';
import { type ChatLoadResult, startChatLoad } from './support/chat-load';
import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { gatewayConfig } from './support/gateway-config';
import { SYSTEM_NAMESPACE } from './support/install-gateway';

const QUICKSTART = join(__dirname, '..', '..', 'examples', 'kubernetes', 'quickstart.yaml');
/** The API server is away for so long; `IGW_CHAOS_SECONDS=60` is the long form. */
const OUTAGE_MS = Number(process.env.IGW_CHAOS_SECONDS ?? 20) * 1000;
const PER_SECOND = Number(process.env.IGW_CHAOS_RATE ?? 50);
const MODEL = 'llama-3.1-8b';

let cluster: Cluster;
let ca: string;
let config: ReturnType<typeof gatewayConfig>;

beforeAll(async () => {
  cluster = await startClusterWithGateway();
  // So fast that the machine, not the simulated GPU, is what is at work.
  const quickstart = await readFile(QUICKSTART, 'utf8');
  await cluster.apply(
    quickstart.replace('- --profile=llama-8b-a10g', '- --profile=llama-8b-a10g\n            - --speed=50'),
  );
  config = gatewayConfig(cluster, 'models', 'quickstart');
  await config.untilCondition('Ready', 'True', 180_000);
  const { data } = await cluster.client.get<V1ConfigMap>('/api/v1/namespaces/models/configmaps/quickstart-ca');
  ca = data!['ca.crt']!;
}, 300_000);
afterAll(() => cluster?.close());

/** What became of requests that were sent all the while. */
async function underLoad(action: () => Promise<void>): Promise<ChatLoadResult> {
  const url = `https://quickstart-envoy.${SYSTEM_NAMESPACE}.svc`;
  const load = startChatLoad({ url, ca, model: MODEL, perSecond: PER_SECOND });
  await sleep(2_000);
  let result: ChatLoadResult | undefined;
  try {
    await action();
    await sleep(3_000);
  } finally {
    result = await load.stop();
    console.log(`${expect.getState().currentTestName}: ${JSON.stringify(result)}`);
  }
  return result;
}

const nothingLost = ({ sent, ok, failures }: ChatLoadResult) => {
  expect(failures).toEqual([]);
  expect(ok).toBe(sent);
};

const podsOf = (namespace: string, labels: Readonly<Record<string, string>>) =>
  cluster.pods
    .list()
    .filter(
      ({ metadata }) =>
        metadata?.namespace === namespace &&
        metadata.deletionTimestamp === undefined &&
        Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
    );

/** SIGKILL to the first process of a pod; the kubelet starts another. */
function kill(namespace: string, labels: Readonly<Record<string, string>>, container: string, which = 0): void {
  const pod = podsOf(namespace, labels)[which]!;
  cluster.kubelet.killContainer(namespace, pod.metadata!.name!, container, 'SIGKILL');
}

const untilReady = (namespace: string, labels: Readonly<Record<string, string>>, count: number) =>
  cluster.until(
    `${count} ready pods ${JSON.stringify(labels)}`,
    () => {
      const ready = podsOf(namespace, labels).filter(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
      return ready.length === count;
    },
    { timeout: 90_000 },
  );

const ROUTER = { app: 'quickstart-bbr' };
const PICKER = { app: 'llama-epp' };
const CONTROLLER = { 'app.kubernetes.io/component': 'controller' };

test('nothing happens', async () => {
  nothingLost(await underLoad(() => sleep(5_000)));
});

test('a router is killed', async () => {
  const result = await underLoad(async () => {
    kill(SYSTEM_NAMESPACE, ROUTER, 'router');
    await sleep(1_000);
    await untilReady(SYSTEM_NAMESPACE, ROUTER, 2);
  });
  nothingLost(result);
});

test('each picker is killed, the one that is asked among them', async () => {
  const result = await underLoad(async () => {
    kill('models', PICKER, 'picker', 0);
    await sleep(1_000);
    await untilReady('models', PICKER, 2);
    kill('models', PICKER, 'picker', 1);
    await sleep(1_000);
    await untilReady('models', PICKER, 2);
  });
  nothingLost(result);
});

test('the controller that leads is killed, and the other leads within 20 s', async () => {
  const lease = `/apis/coordination.k8s.io/v1/namespaces/${SYSTEM_NAMESPACE}/leases/inference-gateway-controller`;
  const holder = async () => (await cluster.client.get<V1Lease>(lease)).spec?.holderIdentity;
  const result = await underLoad(async () => {
    const before = await holder();
    const leader = podsOf(SYSTEM_NAMESPACE, CONTROLLER).find(({ metadata }) => before?.startsWith(metadata!.name!))!;
    cluster.kubelet.killContainer(SYSTEM_NAMESPACE, leader.metadata!.name!, 'controller', 'SIGKILL');
    await cluster.until('another leader', async () => ![undefined, '', before].includes(await holder()), {
      timeout: 20_000,
    });
    await untilReady(SYSTEM_NAMESPACE, CONTROLLER, 2);
  });
  nothingLost(result);
});

test('a picker rollout', async () => {
  const deployments =
    '/apis/apps/v1/namespaces/models/deployments?labelSelector=app.kubernetes.io/managed-by%3Dinference-gateway-controller';
  const pickers = async () => {
    const { items } = await cluster.client.get<{ items: V1Deployment[] }>(deployments);
    return items.map(({ metadata }) => metadata!.name!).filter((name) => name.startsWith('llama-epp-'));
  };
  const result = await underLoad(async () => {
    const before = await pickers();
    expect(before).toHaveLength(1);
    await cluster.client.merge(config.path, { spec: { podDefaults: { annotations: { 'test/rollout': 'once' } } } });
    await cluster.until(
      'the new pickers alone',
      async () => {
        const now = await pickers();
        return now.length === 1 && now[0] !== before[0];
      },
      { timeout: 90_000 },
    );
    await config.untilCondition('Ready', 'True');
  });
  nothingLost(result);
});

test('the config is edited to what cannot be followed, and back', async () => {
  const flow = (maxBytes: string) => ({ flowControl: { maxBytes, bands: { critical: { maxBytes: '64Mi' } } } });
  const result = await underLoad(async () => {
    const { spec } = (await cluster.client.get(config.path)) as { spec: { schedulers: object[] } };
    const [llama] = spec.schedulers;
    // No rule of the API server can compare the two: the controller refuses it.
    await cluster.client.merge(config.path, { spec: { schedulers: [{ ...llama, ...flow('1Mi') }] } });
    await config.untilCondition('Accepted', 'False');
    await sleep(2_000);
    await cluster.client.merge(config.path, { spec: { schedulers: [llama] } });
    await config.untilCondition('Accepted', 'True');
    await config.untilCondition('Ready', 'True');
  });
  nothingLost(result);
});

test('the Envoys are rolled', async () => {
  const result = await underLoad(async () => {
    await cluster.kubectl(['-n', SYSTEM_NAMESPACE, 'rollout', 'restart', 'deployment/quickstart-envoy']);
    await cluster.rolledOut(SYSTEM_NAMESPACE, 'quickstart-envoy', 180_000);
  });
  nothingLost(result);
}, 240_000);

test('etcd is restarted', async () => {
  const result = await underLoad(async () => {
    await cluster.controlPlane.restartEtcd();
    await sleep(5_000);
    await config.untilCondition('Ready', 'True');
  });
  nothingLost(result);
});

test('the API server is away', async () => {
  const result = await underLoad(async () => {
    await cluster.controlPlane.stopApiServer();
    await sleep(OUTAGE_MS);
    await cluster.controlPlane.startApiServer();
    // Envoy Gateway may have ended meanwhile, and begins anew.
    await cluster.rolledOut(SYSTEM_NAMESPACE, 'envoy-gateway', 120_000);
    await config.untilCondition('Ready', 'True');
  });
  nothingLost(result);
}, 300_000);
