import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, DEPLOYMENTS, GATEWAYS, INSTALLATION } from './support/bench';
import { clusterWrites } from './support/cluster-writes';
import { gatewayConfig } from './support/objects';

/* Two installations of this controller, each with a system namespace of its own, and so with a Lease of its own. */

const CLASSES = resourceOf('gateway.networking.k8s.io/v1', 'GatewayClass');
const STAGING = { ...INSTALLATION, systemNamespace: 'staging', envoyNamespace: 'staging' };

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
  bench.put(gatewayConfig());
});

afterEach(() => bench.close());

const writesSince = (before: number) =>
  clusterWrites(bench)
    .slice(before)
    .filter((write) => !write.includes(' Event '));

test('the second stands back, and says what to do', async () => {
  bench.start('first');
  await bench.settle(30_000);
  const before = clusterWrites(bench).length;
  // It needs nothing, for it does nothing.
  bench.api.cluster.serve(resourceOf('inference.networking.x-k8s.io/v1alpha2', 'InferenceModelRewrite'), false);

  const second = bench.start('second', STAGING);
  await bench.settle(120_000);

  expect(writesSince(before)).toEqual([]);
  expect(bench.setups).toBe(1);
  expect(second.isReady()).toBe(true);
  expect(bench.eventReasons()).toContain('AnotherController');
  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
});

test('that start together do not fight', async () => {
  bench.start('first');
  bench.start('second', STAGING);
  await bench.settle(60_000);
  const before = clusterWrites(bench).length;

  await bench.settle(120_000);

  expect(writesSince(before)).toEqual([]);
  expect(bench.api.writes.filter((write) => write.startsWith('delete'))).toEqual([]);
});

test('the deletion of a gateway is for the one that made it', async () => {
  bench.start('first');
  await bench.settle(30_000);
  bench.start('second', STAGING);
  await bench.settle(30_000);
  const gateway = bench.api.cluster.get(GATEWAYS, 'gw', INSTALLATION.systemNamespace)!;
  const setFinalizers = (finalizers: readonly string[]) =>
    bench.edit(gateway, ({ metadata }) => Object.assign(metadata as object, { finalizers }));
  setFinalizers(['example.com/cleans-up']);
  bench.remove(bench.config());
  await bench.settle(30_000);
  expect(bench.condition('Ready')).toMatchObject({ reason: 'DeletingLoadBalancer' });

  setFinalizers([]);
  await bench.settle(30_000);

  expect(bench.config()).toBeUndefined();
  expect(bench.made().map(({ kind }) => kind)).toEqual(['GatewayClass']);
});

test('when the first is gone the second takes over by a GatewayClass anew; what the first has made it leaves, and tells', async () => {
  const first = bench.start('first');
  await bench.settle(30_000);
  await first.stop();
  bench.start('second', STAGING);
  await bench.settle(30_000);
  bench.api.cluster.delete(CLASSES, 'inference-gateway');

  await bench.settle(30_000);

  const routers = () => bench.api.cluster.list(DEPLOYMENTS).filter(({ metadata }) => metadata.name === 'gw-bbr');
  expect(routers().map(({ metadata }) => metadata.namespace)).toEqual(['inference-system', 'staging']);
  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
  expect(bench.eventReasons()).toContain('LeftElsewhere');
  bench.remove(bench.config());
  await bench.settle(30_000);
  const namespaces = new Set(bench.made().map(({ metadata }) => metadata.namespace));
  expect(namespaces).toEqual(new Set([undefined, 'inference-system']));
  expect(routers()).toHaveLength(1);
});

test('a GatewayClass without the mark is marked', async () => {
  bench.start('first');
  await bench.settle(30_000);
  bench.edit(bench.api.cluster.get(CLASSES, 'inference-gateway')!, ({ metadata }) => {
    Object.assign(metadata as object, { labels: {} });
  });

  await bench.settle(30_000);

  expect(bench.api.cluster.get(CLASSES, 'inference-gateway')?.metadata.labels).toMatchObject({
    'inference.sagemaker.aws.amazon.com/system-namespace': 'inference-system',
  });
});
