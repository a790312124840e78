import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { CONTROLLER_NAME } from '../../../../runtime/inference-pools/status/merge-parents';
import { Bench, DEPLOYMENTS, INSTALLATION } from '../../controller/support/bench';
import { POOLS } from './support/loop-bench';
import { gateway, gatewayClass, judged, pool, route } from './support/objects';

/* Whoever leads writes the status of pools, and only while it leads. */

const CLASS = gatewayClass('envoy', INSTALLATION.gatewayControllerName);
const WRITE = 'applyStatus InferencePool team/llama';
const AWS = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'inference-gateway-controller', namespace: 'hyperpod-inference-system' },
  spec: { replicas: 1 },
};

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
  for (const object of [CLASS, gateway(), pool(), route('chat', { parents: [judged('True')] })]) put(object);
});
afterEach(() => bench.close());

const put = (object: KubernetesObject) => bench.put(object as never);
const writes = () => bench.api.writes.filter((write) => write === WRITE).length;
const accepted = () => {
  const status = bench.api.cluster.get(POOLS, 'llama', 'team')?.status as { parents?: unknown[] } | undefined;
  return status?.parents;
};
const TOLD = [{ controllerName: CONTROLLER_NAME, parentRef: { name: 'gw' }, conditions: [{ status: 'True' }, {}] }];

test('the leader writes it, and another that comes to lead finds nothing to do', async () => {
  const first = bench.start('first');
  await bench.settle();
  bench.start('second');
  await bench.settle(20_000);
  expect(accepted()).toMatchObject(TOLD);
  expect(writes()).toBe(1);

  await first.stop();
  await bench.settle(30_000);

  expect(writes()).toBe(1);
});

test('what changed while nobody led is put right by the next leader', async () => {
  const first = bench.start('first');
  await bench.settle();
  await first.stop();
  bench.remove(route());
  await bench.settle(20_000);
  expect(accepted()).toMatchObject(TOLD);

  bench.start('second');
  await bench.settle(20_000);

  expect(accepted()).toEqual([]);
});

test('one that leads no more writes nothing', async () => {
  const first = bench.start('first');
  await bench.settle();
  bench.start('second');
  await bench.settle();
  first.cutOff();
  await bench.settle(20_000);
  bench.remove(route());
  await bench.settle();
  expect(accepted()).toEqual([]);
  const before = writes();

  first.reconnect();
  put(route('chat', { parents: [judged('True')] }));
  await bench.settle(20_000);

  expect(writes()).toBe(before + 1);
});

test('changes that come together are one write, and it comes within 100 ms', async () => {
  bench.start();
  await bench.settle();
  const before = writes();

  for (const verdict of ['False', 'Unknown', 'False']) {
    put(route('chat', { parents: [judged(verdict)] }));
    await bench.settle(15);
  }
  expect(writes()).toBe(before);
  await bench.settle(55);

  expect(writes()).toBe(before + 1);
  expect(accepted()).toMatchObject([{ conditions: [{ status: 'False' }, {}] }]);
});

test('beside AWS’s controller nothing is written, and all is when it goes', async () => {
  put(AWS as KubernetesObject);
  bench.start();
  await bench.settle(20_000);
  expect(writes()).toBe(0);

  bench.api.cluster.delete(DEPLOYMENTS, AWS.metadata.name, AWS.metadata.namespace);
  await bench.settle();

  expect(accepted()).toMatchObject(TOLD);
});

test('a pool whose status is written is not taken for one that the controller has made', async () => {
  bench.start();
  await bench.settle();

  expect(bench.made().filter(({ kind }) => kind === 'InferencePool')).toHaveLength(1);
  const { managedFields } = bench.api.cluster.get(POOLS, 'llama', 'team')!.metadata as {
    managedFields?: ReadonlyArray<{ manager: string }>;
  };
  expect(managedFields?.map(({ manager }) => manager)).toEqual(['inference-gateway-pool-status']);
});
