import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, ROUTES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig, schedulerOf } from './support/objects';

/* What every gateway waits for: what the cluster must have, and what must be known of it. */

const BINDINGS = resourceOf('elbv2.k8s.aws/v1beta1', 'TargetGroupBinding');

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
  bench.put(gatewayConfig());
});

afterEach(() => bench.close());

const quota = refused(403, 'Forbidden', 'secrets "envoy-gateway" is forbidden: exceeded quota.');

test('a preparation that fails is told on every gateway, and its end is noticed', async () => {
  bench.setupFault = quota;
  bench.start();
  await bench.settle(60_000);

  expect(bench.condition('Accepted')).toMatchObject({ status: 'False', reason: 'SetupFailed' });
  expect(bench.condition('Accepted')?.message).toContain('exceeded quota; see to what refuses it');
  expect(bench.eventReasons()).toContain('SetupFailed');
  expect(bench.made()).toEqual([]);

  bench.setupFault = undefined;
  await bench.settle(70_000);
  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
  expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
});

test('one that fails after it was done once is told, and holds nothing up', async () => {
  bench.start();
  await bench.settle(20_000);
  bench.setupFault = quota;
  // Everything is looked at again at 300 s and at 600 s, whatever happens.
  await bench.settle(400_000);
  expect(bench.eventReasons()).toContain('SetupFailed');
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers: [schedulerOf('mistral')] }));

  await bench.settle();

  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
  expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeDefined();
});

test('one that fails for a moment is no news', async () => {
  const first = bench.start('first');
  await bench.settle(20_000);
  await first.stop();
  const before = bench.config();
  bench.setupFault = quota;
  bench.start('second');
  await bench.settle(8_000);
  expect(bench.setups).toBeGreaterThan(2);
  bench.setupFault = undefined;
  await bench.settle(20_000);

  expect(bench.config()).toEqual(before);
  expect(bench.eventReasons()).not.toContain('SetupFailed');
});

test('one that takes long is told', async () => {
  const end = Promise.withResolvers<void>();
  bench.prepared = () => end.promise;
  bench.start();
  await bench.settle(30_000);
  expect(bench.eventReasons()).toEqual(['NotPrepared']);
  expect(bench.config().status).toBeUndefined();
  await bench.settle(30_000);
  expect(bench.condition('Accepted')).toMatchObject({ status: 'False', reason: 'NotPrepared' });

  end.resolve();
  await bench.settle(20_000);
  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
});

describe('a kind of others that may not be read', () => {
  beforeEach(async () => {
    bench.api.mishap = ({ verb, resource }) =>
      verb === 'list' && resource === BINDINGS ? { when: 'before', error: refused(403, 'Forbidden', 'no') } : undefined;
  });

  test('holds no gateway up for long, and is told', async () => {
    const controller = bench.start();
    await bench.settle(20_000);
    expect(bench.eventReasons()).toEqual(['NotSynced']);
    expect(controller.isReady()).toBe(false);

    await bench.settle(40_000);

    expect(controller.isReady()).toBe(true);
    expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
    expect(bench.eventReasons()).toContain('NotReadable');
  });

  test('is written all the same', async () => {
    const targetGroupArn = 'arn:aws:elasticloadbalancing:us-west-2:111122223333:targetgroup/gw/1';
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { endpoint: { targetGroupArn } }));
    bench.start();
    await bench.settle(60_000);

    expect(bench.api.cluster.list(BINDINGS)).toHaveLength(1);
  });

  test('does not hold up a deletion', async () => {
    bench.start();
    await bench.settle(60_000);
    bench.remove(bench.config());

    await bench.settle(10_000);

    expect(bench.config()).toBeUndefined();
  });

  test('is taken into account once it can be read', async () => {
    bench.start();
    await bench.settle(60_000);
    bench.api.mishap = () => undefined;
    const targetGroupArn = 'arn:aws:elasticloadbalancing:us-west-2:111122223333:targetgroup/a/b';
    bench.edit(bench.config(), ({ spec }) =>
      Object.assign(spec as object, { endpoint: { type: 'clusterIP', targetGroupArn } }),
    );

    await bench.settle(10_000);

    expect(bench.api.cluster.list(BINDINGS)).toHaveLength(1);
  });
});

test('a status that was told stays beside what a gateway waits for', async () => {
  const first = bench.start('first');
  await bench.settle();
  await first.stop();
  const before = bench.condition('GatewayProgrammed');
  const policies = resourceOf('networking.k8s.io/v1', 'NetworkPolicy');
  bench.api.mishap = ({ verb, resource }) =>
    verb === 'list' && resource === policies ? { when: 'before', error: refused(403, 'Forbidden', 'no') } : undefined;
  bench.start('second');

  await bench.settle(60_000);

  expect(bench.condition('Accepted')).toMatchObject({ status: 'False', reason: 'NotSynced' });
  expect(bench.condition('Ready')).toMatchObject({ status: 'False', reason: 'NotSynced' });
  expect(bench.condition('GatewayProgrammed')).toEqual(before);
  expect(bench.config().status).toMatchObject({ observedGeneration: 1, schedulers: [{ name: 'llama' }] });
});
