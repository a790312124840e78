import { Bench, CONFIGS, ROUTES, SERVICES } from './support/bench';
import { namesOf } from './support/cluster-writes';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

describe('two configs of one name', () => {
  beforeEach(async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    bench.put(gatewayConfig([schedulerOf('llama')], { namespace: 'other' }));
    await bench.settle();
  });

  test('the older has it, and the newer says so', () => {
    expect(bench.condition('Accepted', bench.config('gw', 'other'))).toMatchObject({
      status: 'False',
      reason: 'NameTaken',
    });
    expect(bench.api.cluster.list(SERVICES, 'other')).toEqual([]);
    expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
  });

  test('the newer gets it when the older is gone', async () => {
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');

    await bench.settle(30_000);

    expect(bench.api.cluster.get(CONFIGS, 'gw', 'team')).toBeUndefined();
    expect(bench.condition('Accepted', bench.config('gw', 'other'))).toMatchObject({ status: 'True' });
    expect(namesOf(bench.api.cluster.list(SERVICES, 'other'))).toContain('Service llama-pool');
  });

  test('deleting the newer leaves the older alone', async () => {
    const before = bench.made().filter(({ metadata }) => metadata.namespace !== 'other');
    bench.api.cluster.delete(CONFIGS, 'gw', 'other');

    await bench.settle(30_000);

    expect(bench.made()).toEqual(before);
  });
});

test("a name that somebody's object has is not taken over", async () => {
  bench.put({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'llama-pool', namespace: 'team' },
    spec: { clusterIP: '10.0.0.1' },
  });
  bench.put(gatewayConfig([schedulerOf('llama'), schedulerOf('mistral')]));
  bench.start();

  await bench.settle();

  expect(bench.api.cluster.get(SERVICES, 'llama-pool', 'team')?.spec).toEqual({ clusterIP: '10.0.0.1' });
  expect(bench.eventReasons()).toContain('NameTaken');
  expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeDefined();
});

test('a scheduler that loses one of its names to somebody else runs on with the rest', async () => {
  bench.put(gatewayConfig([schedulerOf('llama'), schedulerOf('mistral')]));
  bench.start();
  await bench.settle();
  bench.api.cluster.delete(SERVICES, 'llama-epp', 'team');
  const metadata = { name: 'llama-epp', namespace: 'team' };
  bench.put({ apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: '10.0.0.1' } });

  await bench.settle();

  expect(bench.eventReasons()).toContain('NameTaken');
  expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
  expect(bench.api.cluster.get(SERVICES, 'llama-epp', 'team')?.spec).toEqual({ clusterIP: '10.0.0.1' });
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  await bench.settle();
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);
});
