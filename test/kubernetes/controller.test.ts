import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Deployment, V1EndpointSlice, V1Service } from '@kubernetes/client-node';
import { type Cluster, startCluster } from './support/cluster';
import { type ControllerProcess, type ControllerProcesses, controllerProcesses } from './support/controller-processes';
import { gatewayConfig } from './support/gateway-config';
import { SYSTEM_NAMESPACE } from './support/install-gateway';
import { standardImages } from './support/standard-images';

const GROUP = 'inference.sagemaker.aws.amazon.com';
const MANAGER = 'inference-gateway-controller';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/team/deployments';
const SERVICES = '/api/v1/namespaces/team/services';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/team/endpointslices';
const ROUTES = '/apis/gateway.networking.k8s.io/v1/namespaces/team/httproutes';

interface Applied {
  readonly metadata: {
    readonly managedFields?: ReadonlyArray<{ readonly manager: string; readonly operation: string }>;
  };
}

let cluster: Cluster;
let config: ReturnType<typeof gatewayConfig>;
let processes: ControllerProcesses;
let running: ControllerProcess[];

beforeAll(async () => {
  cluster = await startCluster({ images: await standardImages(), nodes: 2 });
  config = gatewayConfig(cluster, 'team', 'gw');
  processes = await controllerProcesses(cluster);
  running = [processes.start('controller-1'), processes.start('controller-2')];
  await cluster.until(
    'both are ready',
    async () => (await Promise.all(running.map((one) => one.isReady()))).every(Boolean),
    {
      timeout: 90_000,
    },
  );
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
}, 240_000);
afterAll(async () => {
  await Promise.all((running ?? []).map(({ daemon }) => daemon.stop()));
  await cluster?.close();
});

const scheduler = (name: string, more: object = {}) => ({
  name,
  modelName: `models/${name}`,
  modelSelector: { matchLabels: { model: name } },
  replicas: 1,
  ...more,
});

const gateway = (schedulers: readonly object[]) => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: 'InferenceGatewayConfig',
  metadata: { name: 'gw', namespace: 'team' },
  spec: { bbr: { enabled: true, replicas: 1 }, tls: {}, endpoint: { type: 'clusterIP' }, schedulers },
});

const list = async <T>(path: string) => (await cluster.client.get<{ items: T[] }>(path)).items;
const leader = async () => {
  for (const process of running) if (process.daemon.running() && (await process.isLeader())) return process;
  return undefined;
};

/** A pod of a model, of a node where nobody runs it: its status is what the test says. */
async function modelPod(name: string, model: string, ip: string): Promise<void> {
  const path = '/api/v1/namespaces/team/pods';
  const metadata = { name, namespace: 'team', labels: { model } };
  await cluster.client.create(path, {
    metadata,
    spec: { nodeName: 'nowhere', containers: [{ name: 'c', image: 'x' }] },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await cluster.client.merge(`${path}/${name}/status`, {
    status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions },
  });
}

async function addresses(model: string): Promise<string[]> {
  const slices = await list<V1EndpointSlice>(`${SLICES}?labelSelector=kubernetes.io/service-name=${model}-pool`);
  return slices.flatMap(({ endpoints }) => endpoints ?? []).flatMap((endpoint) => endpoint.addresses);
}

test('a config becomes objects of one field manager, and pickers that run', async () => {
  await cluster.apply(gateway([scheduler('llama')]));

  await cluster.until('pickers', async () => (await config.rollout('llama')) === 'Available', { timeout: 60_000 });

  const { metadata, status } = await config.read();
  expect(metadata.finalizers).toEqual([`${GROUP}/gateway`]);
  expect(metadata.generation).toBe(1);
  expect(status?.observedGeneration).toBe(1);
  expect(await config.condition('Accepted')).toMatchObject({ status: 'True' });
  await cluster.until('routers', async () => (await config.condition('BBRReady'))?.status === 'True');
  expect(await config.condition('AdmissionBlocked')).toMatchObject({ status: 'False' });
  const objects = [
    ...(await list<Applied>(DEPLOYMENTS)),
    ...(await list<Applied>(SERVICES)),
    ...(await list<Applied>(ROUTES)),
  ];
  expect(objects.length).toBeGreaterThan(4);
  for (const object of objects) {
    expect(object.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: MANAGER, operation: 'Apply' }),
    );
  }
}, 120_000);

test('a pod is in its EndpointSlice as soon as it is heard of', async () => {
  await modelPod('llama-0', 'llama', '10.250.0.1');

  await cluster.until('the address', async () => (await addresses('llama')).includes('10.250.0.1'), {
    timeout: 10_000,
  });
});

test("a stranger's changes are put back, and others' fields are kept", async () => {
  const path = `${SERVICES}/llama-pool`;
  await cluster.client.merge(path, {
    metadata: { annotations: { mine: 'yes' }, labels: { [`${GROUP}/scheduler`]: 'stolen' } },
    spec: { ports: [{ name: 'http', port: 80, targetPort: 9999 }] },
  });
  await cluster.client.delete(`${ROUTES}/llama`);

  await cluster.until('the port', async () => {
    const { spec } = await cluster.client.get<V1Service>(path);
    return spec?.ports?.[0]?.targetPort === 8000;
  });
  await cluster.until('the route', () => cluster.client.find(`${ROUTES}/llama`));

  const { metadata } = await cluster.client.get<V1Service>(path);
  expect(metadata?.annotations).toMatchObject({ mine: 'yes' });
  expect(metadata?.labels?.[`${GROUP}/scheduler`]).toBe('llama');
});

test('what a stranger adds to a list that is ours is taken away again', async () => {
  type Route = { spec: { rules: Array<{ backendRefs?: Array<{ name: string; port: number }> }> } };
  const path = `${ROUTES}/llama`;
  const route = () => cluster.client.get<Route>(path);
  const { spec } = await route();
  const [rule] = spec.rules;
  expect(rule?.backendRefs).toHaveLength(1);
  await cluster.client.merge(path, {
    spec: { rules: [{ ...rule, backendRefs: [...rule!.backendRefs!, { name: 'theirs', port: 80 }] }] },
  });

  await cluster.until('the route', async () => !JSON.stringify(await route()).includes('theirs'));

  expect((await route()).spec.rules).toEqual(spec.rules);
});

test('a changed picker is started before the old one is stopped', async () => {
  const former = (await list<V1Deployment>(DEPLOYMENTS)).map(({ metadata }) => metadata?.name);
  let fewest = Number.POSITIVE_INFINITY;
  let watching = true;
  const watcher = (async () => {
    while (watching) {
      const slices = await list<V1EndpointSlice>(`${SLICES}?labelSelector=kubernetes.io/service-name=llama-epp`);
      const ready = slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready);
      fewest = Math.min(fewest, ready.length);
      await sleep(20);
    }
  })();
  await cluster.apply(gateway([scheduler('llama', { env: [{ name: 'CHANGED', value: 'since then' }] })]));

  await cluster.until(
    'only the new one',
    async () => {
      const names = (await list<V1Deployment>(DEPLOYMENTS)).map(({ metadata }) => metadata?.name);
      return names.length === 1 && !former.includes(names[0]) && (await config.rollout('llama')) === 'Available';
    },
    { timeout: 60_000 },
  );
  watching = false;
  await watcher;

  expect(fewest).toBeGreaterThan(0);
}, 90_000);

test('a scheduler of another field manager is served, and kept when the author applies again', async () => {
  const operator = { ...gateway([scheduler('mistral')]), spec: { schedulers: [scheduler('mistral')] } };
  await cluster.kubectl(['apply', '--server-side', '--field-manager=operator', '-f', '-'], JSON.stringify(operator));
  await cluster.until('its route', () => cluster.client.find(`${ROUTES}/mistral`));

  await cluster.apply(gateway([scheduler('llama', { weights: { queue: 3 } })]));
  await cluster.until('it is looked at', config.isObserved);

  expect((await config.read()).spec.schedulers.map(({ name }) => name).sort()).toEqual(['llama', 'mistral']);
  expect(await cluster.client.find(`${ROUTES}/mistral`)).toBeDefined();
});

test('what the API server refuses is told in its words, and nothing that runs is touched', async () => {
  const before = (await list<V1Deployment>(DEPLOYMENTS)).map(({ metadata }) => metadata?.uid).sort();
  await cluster.client.merge(config.path, { spec: { podDefaults: { env: [{ name: 'NO=', value: 'x' }] } } });

  await cluster.until('Refused', async () => (await config.condition('Ready'))?.reason === 'Refused');
  expect((await config.condition('Ready'))?.message).toContain('spec.template.spec.containers[0].env[0].name');
  expect(await config.condition('AdmissionBlocked')).toMatchObject({ status: 'True' });
  expect((await list<V1Deployment>(DEPLOYMENTS)).map(({ metadata }) => metadata?.uid).sort()).toEqual(before);

  await cluster.client.merge(config.path, { spec: { podDefaults: null } });
  await cluster.until('taken again', async () => (await config.condition('AdmissionBlocked'))?.status === 'False');
});

test('an API server that is away for 20 s: nothing ends, and what changed meanwhile is seen to', async () => {
  await cluster.controlPlane.stopApiServer();
  await sleep(20_000);
  await cluster.controlPlane.startApiServer();
  const from = performance.now();
  await cluster.client.delete(`${ROUTES}/llama`);

  await cluster.until('the route is back', () => cluster.client.find(`${ROUTES}/llama`), { timeout: 60_000 });

  expect(performance.now() - from).toBeLessThan(45_000);
  for (const { daemon } of running) daemon.check();
  await modelPod('llama-1', 'llama', '10.250.0.3');
  await cluster.until('the address', async () => (await addresses('llama')).includes('10.250.0.3'));
}, 120_000);

test('a leader that is killed is replaced within 20 s, and its work goes on', async () => {
  const killed = await cluster.until('a leader', leader);
  killed.daemon.kill('SIGKILL');
  const from = performance.now();
  await modelPod('mistral-0', 'mistral', '10.250.0.2');
  await cluster.client.delete(`${ROUTES}/llama`);

  await cluster.until('the route is back', () => cluster.client.find(`${ROUTES}/llama`), { timeout: 20_000 });
  await cluster.until('the address', async () => (await addresses('mistral')).includes('10.250.0.2'));

  expect(performance.now() - from).toBeLessThan(20_000);
  running = [...running.filter((one) => one !== killed), processes.start('controller-3')];
  await cluster.until('it is ready', () => running.at(-1)!.isReady(), { timeout: 30_000 });
}, 60_000);

test('a leader that ends in order gives the lease back', async () => {
  const ended = await cluster.until('a leader', leader);
  await ended.daemon.stop();
  const from = performance.now();

  await cluster.until('another leads', async () => (await leader()) !== undefined);

  // A lease that is not given back is free after 15 s.
  expect(performance.now() - from).toBeLessThan(12_000);
});

test('a config that is deleted leaves nothing behind', async () => {
  await cluster.client.delete(config.path);

  await cluster.until('the config is gone', async () => (await cluster.client.find(config.path)) === undefined, {
    timeout: 60_000,
  });

  expect(await list(ROUTES)).toEqual([]);
  expect(await list(DEPLOYMENTS)).toEqual([]);
  const selector = `labelSelector=${GROUP}/gateway=gw`;
  for (const path of [
    `/apis/apps/v1/namespaces/${SYSTEM_NAMESPACE}/deployments`,
    `/api/v1/namespaces/${SYSTEM_NAMESPACE}/services`,
    `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets`,
    `/apis/gateway.networking.k8s.io/v1/namespaces/${SYSTEM_NAMESPACE}/gateways`,
  ]) {
    expect(await list(`${path}?${selector}`)).toEqual([]);
  }
}, 90_000);
