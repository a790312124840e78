import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { SYSTEM_NAMESPACE } from './support/install-gateway';
import { addressOf, plainGateway, poolRoute } from './support/pools/plain-gateway';
import { startPoolLoad } from './support/pools/pool-load';
import { pickerName, pickerRights, poolImages, poolObjects } from './support/pools/pool-objects';

/* What becomes of pools while parts of the control plane are away. */

let cluster: Cluster;
let url: string;

const NAMESPACE = 'models';
const GATEWAY = { name: 'theirs', namespace: 'theirs' };
const CONTROLLER = 'hyperpod-inference-gateway-controller';
const alpha = { name: 'alpha', namespace: NAMESPACE } as const;
const route = (path: string) => poolRoute(path, NAMESPACE, GATEWAY, [{ pool: 'alpha' }], `/${path}`);

beforeAll(async () => {
  cluster = await startClusterWithGateway({ images: await poolImages() });
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'theirs' } },
    plainGateway('theirs', 'theirs'),
    ...pickerRights(NAMESPACE),
    ...poolObjects(alpha),
    route('alpha'),
  ]);
  url = await addressOf(cluster, 'theirs', 'theirs');
  for (const name of [alpha.name, pickerName(alpha)]) await cluster.rolledOut(NAMESPACE, name);
  await cluster.until('an answer', async () => (await ask('alpha')) === 200, { timeout: 60_000 });
}, 300_000);
afterAll(() => cluster?.close());

async function ask(path: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const { statusCode, body } = await request(`${url}/${path}`, { method: 'POST', headers, body: '{"model":"m"}' });
  await body.dump();
  return statusCode;
}

const podsOf = (namespace: string, labels: Readonly<Record<string, string>>) =>
  cluster.pods
    .list()
    .filter(
      ({ metadata }) =>
        metadata?.namespace === namespace &&
        Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value),
    );
const controllers = () => podsOf(SYSTEM_NAMESPACE, { 'app.kubernetes.io/component': 'controller' });
const scale = (namespace: string, name: string, replicas: number) =>
  cluster.kubectl(['-n', namespace, 'scale', 'deployment', name, `--replicas=${replicas}`]);

/** Requests at 50 a second while something happens; answers those that were not answered by a pod that was picked. */
async function lostWhile(something: () => Promise<void>) {
  const load = startPoolLoad({ url: `${url}/alpha`, perSecond: 50, body: '{"model":"m"}' });
  await sleep(1_000);
  await something();
  await sleep(1_000);
  return (await load.stop()).filter(({ status, isPicked }) => status !== 200 || !isPicked);
}

test('nothing is lost when every controller is killed, and endpoints are followed again', async () => {
  const lost = await lostWhile(async () => {
    for (const { metadata } of controllers()) {
      cluster.kubelet.killContainer(SYSTEM_NAMESPACE, metadata!.name!, 'controller', 'SIGKILL');
    }
    await sleep(1_000);
    await cluster.rolledOut(SYSTEM_NAMESPACE, CONTROLLER);
    await scale(NAMESPACE, alpha.name, 3);
    await cluster.rolledOut(NAMESPACE, alpha.name);
    await sleep(2_000);
    await scale(NAMESPACE, alpha.name, 2);
    await cluster.rolledOut(NAMESPACE, alpha.name);
  });
  expect(lost).toEqual([]);
}, 120_000);

test('a change waits while there is no controller, and is not forgotten', async () => {
  const lost = await lostWhile(async () => {
    await scale(SYSTEM_NAMESPACE, CONTROLLER, 0);
    await cluster.until('no controller', async () => controllers().length === 0);
    await cluster.apply(route('later'));
    await sleep(3_000);
    expect(await ask('later')).toBe(404);
    await scale(SYSTEM_NAMESPACE, CONTROLLER, 2);
    await cluster.rolledOut(SYSTEM_NAMESPACE, CONTROLLER, 120_000);
    await cluster.until('the route', async () => (await ask('later')) === 200, { timeout: 30_000 });
  });
  expect(lost).toEqual([]);
}, 180_000);

test('nothing is lost when every Envoy Gateway is killed, and comes back', async () => {
  const gateways = () => podsOf(SYSTEM_NAMESPACE, { 'control-plane': 'envoy-gateway' });
  expect(gateways().length).toBeGreaterThan(1);
  const lost = await lostWhile(async () => {
    for (let time = 0; time < 2; time += 1) {
      for (const { metadata } of gateways()) {
        cluster.kubelet.killContainer(SYSTEM_NAMESPACE, metadata!.name!, 'envoy-gateway', 'SIGKILL');
      }
      await sleep(1_000);
      await cluster.rolledOut(SYSTEM_NAMESPACE, 'envoy-gateway');
      await sleep(5_000);
    }
  });
  expect(lost).toEqual([]);
}, 180_000);

test('nothing is lost while the API server is away, nor when it comes back', async () => {
  const lost = await lostWhile(async () => {
    await cluster.controlPlane.stopApiServer();
    await sleep(5_000);
    await cluster.controlPlane.startApiServer();
    await sleep(5_000);
  });
  expect(lost).toEqual([]);
}, 180_000);

test('an Envoy that is new knows the pods before it is asked', async () => {
  const envoys = () => podsOf(SYSTEM_NAMESPACE, { 'gateway.envoyproxy.io/owning-gateway-name': 'theirs' });
  const [old] = envoys();
  await cluster.kubectl(['-n', SYSTEM_NAMESPACE, 'delete', 'pod', old!.metadata!.name!, '--wait=false']);
  await cluster.until(
    'another Envoy',
    async () => {
      const [only, ...others] = envoys();
      const ready = only?.status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
      return others.length === 0 && ready && only.metadata!.uid !== old!.metadata!.uid;
    },
    { timeout: 60_000 },
  );
  const statuses = [];
  for (let sent = 0; sent < 10; sent += 1) statuses.push(await ask('alpha').catch(() => 0));
  expect(statuses.filter((status) => status === 503)).toEqual([]);
}, 120_000);
