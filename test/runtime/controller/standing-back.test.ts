import { Bench } from './support/bench';
import { clusterWrites } from './support/cluster-writes';
import { gatewayConfig, schedulerOf } from './support/objects';

/* Beside AWS's controller, which comes, goes, and is scaled down. */

const theirs = (more: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'inference-gateway-controller', namespace: 'hyperpod-inference-system' },
  spec: { replicas: 1 },
  ...more,
});

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle(30_000);
});

afterEach(() => bench.close());

test('a gateway that is deleted waits, and its condition and an Event say for whom', async () => {
  bench.put(theirs());
  await bench.settle();
  bench.remove(bench.config());

  await bench.settle(10_000);

  expect(bench.condition('Ready')).toMatchObject({ status: 'False', reason: 'AnotherController' });
  expect(bench.condition('Ready')?.message).toMatch(
    /Remove one of the two\. The gateway is being deleted, and goes only/,
  );
  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });

  bench.put(theirs({ spec: { replicas: 0 } }));
  await bench.settle(10_000);
  expect(bench.config()).toBeUndefined();
});

test('a Deployment of no replicas is none; one that still has a pod is', async () => {
  bench.put(theirs({ spec: { replicas: 0 }, status: { replicas: 1 } }));
  await bench.settle();
  const before = clusterWrites(bench).length;
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers: [schedulerOf('mistral')] }));
  await bench.settle(10_000);
  expect(
    clusterWrites(bench)
      .slice(before)
      .filter((write) => !write.includes(' Event ')),
  ).toEqual([]);

  bench.put(theirs({ spec: { replicas: 0 }, status: { replicas: 0 } }));
  await bench.settle();
  expect(clusterWrites(bench).slice(before)).toContain('apply HTTPRoute team/mistral');
});

test('what was told before it came is not told again when it is gone', async () => {
  const told = () => bench.eventReasons().filter((reason) => reason === 'NotAuthenticated').length;
  bench.put(theirs());
  await bench.settle();
  // The same Event counts for ten minutes.
  await bench.settle(700_000);
  bench.remove(theirs());

  await bench.settle(10_000);

  expect(told()).toBe(1);
  expect(bench.eventReasons()).toContain('AnotherController');
});
