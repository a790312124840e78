import { type Cluster, startCluster } from '../support/cluster';
import { startLoad } from '../support/load';
import { SERVER_IMAGE, serverObjects } from './support/server';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ images: { 'test/server': SERVER_IMAGE } });
});
afterAll(() => cluster?.close());

const version = (version: string, preStop: object) =>
  serverObjects('rolled', {
    replicas: 2,
    container: { env: [{ name: 'VERSION', value: version }], lifecycle: { preStop } },
  });

test('a rolling update with a preStop loses no request', async () => {
  await cluster.apply(version('1', { sleep: { seconds: 2 } }));
  await cluster.rolledOut('default', 'rolled');
  const load = startLoad({ url: 'http://rolled/env?wait=300', perSecond: 40, keepAlive: false });
  await cluster.apply(version('2', { sleep: { seconds: 2 } }));
  await cluster.rolledOut('default', 'rolled');
  await cluster.until('old pods', () => cluster.pods.list().length === 2);
  const { sent, ok, failures } = await load.stop();

  expect(failures).toEqual({});
  expect(ok).toBe(sent);
  expect(sent).toBeGreaterThan(100);
  expect(await (await fetch('http://rolled/env')).json()).toMatchObject({ VERSION: '2' });
});

test('a pod is given its grace, and no more', async () => {
  await cluster.apply(
    serverObjects('stubborn', {
      container: { command: ['sh', '-c', 'while :; do sleep 1; done'], readinessProbe: null },
    }),
  );
  await cluster.rolledOut('default', 'stubborn');
  const pod = cluster.pods.list().find(({ metadata }) => metadata?.labels?.app === 'stubborn')!;
  const start = Date.now();
  await cluster.kubectl(['delete', 'pod', pod.metadata!.name!, '--grace-period=3', '--wait=true']);

  // A shell that is the first process of its container is not ended by a signal that it has no handler for.
  expect(Date.now() - start).toBeGreaterThan(2_900);
  expect(Date.now() - start).toBeLessThan(20_000);
});

test('pods go on while the API server is away, and what happened is reported once it is back', async () => {
  const pod = cluster.pods.list().find(({ metadata }) => metadata?.labels?.app === 'rolled')!;
  const load = startLoad({ url: 'http://rolled/', perSecond: 20, keepAlive: false });
  await cluster.controlPlane.stopApiServer();
  cluster.kubelet.killContainer('default', pod.metadata!.name!, 'server', 'SIGTERM');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await cluster.controlPlane.startApiServer();
  await cluster.until('restart', () => {
    const [server] = cluster.pods.get(`default/${pod.metadata!.name}`)?.status?.containerStatuses ?? [];
    return server?.restartCount === 1 && server.ready;
  });
  const { ok, sent } = await load.stop();

  // The restarting pod refuses some: nothing tells the Service.
  expect(ok).toBeGreaterThan(sent / 2);
});
