import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, ROUTES, SERVICES } from './support/bench';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

const LEASES = resourceOf('coordination.k8s.io/v1', 'Lease');

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
  bench.put(gatewayConfig());
});

afterEach(() => bench.close());

const setSchedulers = (schedulers: readonly object[]) =>
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers }));

const holder = () => {
  const lease = bench.api.cluster.get(LEASES, 'inference-gateway-controller', 'inference-system');
  return (lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity ?? '';
};

test('one leads; the other follows and is ready', async () => {
  const [a, b] = [bench.start('a'), bench.start('b')];

  await bench.settle(10_000);

  expect([a, b].filter((one) => one.isLeader())).toHaveLength(1);
  expect([a.isReady(), b.isReady()]).toEqual([true, true]);
});

test('a leader that is killed is replaced within 20 s', async () => {
  const first = bench.start('a');
  await bench.settle();
  const second = bench.start('b');
  await bench.settle();
  first.kill();
  setSchedulers([schedulerOf('mistral')]);
  bench.put(modelPod('mistral-0', 'mistral', '10.1.0.1'));

  await bench.settle(19_000);

  expect(second.isLeader()).toBe(true);
  expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeDefined();
  expect(bench.addresses('mistral')).toEqual(['10.1.0.1 ready']);
});

test('a leader that ends in order is replaced within 4 s', async () => {
  const first = bench.start('a');
  await bench.settle();
  const second = bench.start('b');
  await bench.settle();

  await first.stop();
  await bench.settle(3_500);

  expect(second.isLeader()).toBe(true);
});

test('a leader that is killed in the middle of its work: the next finishes it', async () => {
  const first = bench.start('a');
  const second = bench.start('b');
  let applies = 0;
  bench.api.mishap = ({ verb }) => {
    if (verb !== 'apply') return undefined;
    applies += 1;
    if (applies === 12) (holder().startsWith('a') ? first : second).kill();
    return undefined;
  };

  await bench.settle(30_000);

  for (const object of bench.translation().objects) expect(bench.find(object)).toMatchObject(object as never);
  expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
});

test('what a former leader had under way arrives late: the new one puts it right', async () => {
  const first = bench.start('a');
  await bench.settle();
  const second = bench.start('b');
  await bench.settle();
  first.cutOff();
  setSchedulers([schedulerOf('mistral')]);
  await bench.settle(1_000);
  setSchedulers([schedulerOf('llama', { replicas: 3 })]);
  await bench.settle(18_000);
  expect([first.isLeader(), second.isLeader()]).toEqual([false, true]);
  const before = bench.api.writes.length;

  first.reconnect();
  await bench.settle(10_000);

  expect(bench.api.writes.slice(before).length).toBeGreaterThan(2);
  expect(bench.api.cluster.list(SERVICES, 'team').map(({ metadata }) => metadata.name)).toEqual([
    'llama-epp',
    'llama-pool',
  ]);
  for (const object of bench.translation().objects) expect(bench.find(object)).toMatchObject(object as never);
});
