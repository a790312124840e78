import { followResource } from '../../../../runtime/inference-pools/discovery/followed-resource';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import type { SeenRequest } from '../../../support/fake-api-server/fake-api-server';
import { ApiBench } from '../support/api-bench';
import { pod, pool, service, slice } from '../support/objects';
import { endpointsOf, tiersOf } from '../support/told';

const POOLS = resourceOf('inference.networking.k8s.io/v1', 'InferencePool');
const PODS = resourceOf('v1', 'Pod');
const POOL = 'inference-pool/models/alpha';
const PICKER = 'endpoint-picker/models/epp/9002';

let bench: ApiBench;
let changes: number;
beforeEach(async () => {
  bench = await ApiBench.open();
  changes = 0;
});
afterEach(() => bench.close());

function follow(name: string) {
  const resource = followResource(name, bench.options, () => {
    changes += 1;
  });
  return {
    ...resource,
    endpoints: () => endpointsOf(resource.current()),
    tiers: () => {
      const current = resource.current();
      return current && tiersOf(current);
    },
  };
}

async function followed(name: string) {
  const resource = follow(name);
  await bench.until('it is known', () => resource.current() !== undefined);
  await bench.until('it is watched', () => bench.server.openWatches() === 2);
  return resource;
}

const asksFor =
  (plural: string, query = '') =>
  (request: SeenRequest) =>
    request.path.endsWith(`/${plural}`) && String(request.query.get('labelSelector') ?? '').includes(query);

describe('a pool', () => {
  beforeEach(() => bench.put(pool(), pod('a', '10.0.0.1'), pod('other', '10.0.0.9', { app: 'other' })));

  test('has the pods that it selects', async () => {
    const alpha = await followed(POOL);

    expect(alpha.current()?.clusterName).toBe(POOL);
    expect(alpha.endpoints()).toEqual(['10.0.0.1 8000']);
  });

  test('tells of each change of its pods and of itself', async () => {
    const alpha = await followed(POOL);

    bench.put(pod('b', '10.0.0.2'));
    await bench.until('a pod more', () => alpha.endpoints()?.length === 2);
    bench.remove(pod('a', '10.0.0.1'));
    await bench.until('a pod fewer', () => alpha.endpoints()?.length === 1);
    const before = changes;
    bench.put(pool('alpha', { targetPorts: [{ number: 9000 }] }));
    await bench.until('another port', () => alpha.endpoints()?.[0] === '10.0.0.2 9000');

    expect(changes).toBeGreaterThan(before);
  });

  test('follows no pods but its own', async () => {
    await followed(POOL);

    const watched = bench.server.requests.filter(asksFor('pods')).map(({ query }) => query.get('labelSelector'));
    expect(new Set(watched)).toEqual(new Set(['app=alpha']));
  });

  test('that selects others tells nothing until they are known', async () => {
    const alpha = await followed(POOL);
    bench.server.answer({ code: 503, when: asksFor('pods', 'other'), times: 2 });

    bench.put(pool('alpha', { selector: { matchLabels: { app: 'other' } } }));
    await bench.until('the old are not told any more', () => alpha.current() === undefined, 0);
    await bench.until('the new are', () => alpha.endpoints()?.[0] === '10.0.0.9 8000', 1_000);

    await bench.until('the old are not watched', () => bench.server.openWatches(PODS) === 1);
  });

  test('that is deleted has no endpoints, and is found again when it comes back', async () => {
    const alpha = await followed(POOL);

    bench.remove(pool());
    await bench.until('nothing is left', () => alpha.endpoints()?.length === 0);
    await bench.until('no pods are watched', () => bench.server.openWatches(PODS) === 0);
    bench.put(pool());
    await bench.until('it is back', () => alpha.endpoints()?.length === 1);
  });

  test('that is not there has no endpoints', async () => {
    const resource = follow('inference-pool/models/nobody');
    await bench.until('that is known', () => resource.current() !== undefined);

    expect(resource.endpoints()).toEqual([]);
  });

  test('of a kind that the cluster does not have has none either, until it does', async () => {
    bench.server.cluster.serve(POOLS, false);
    const alpha = follow(POOL);
    await bench.until('that is known', () => alpha.current() !== undefined);
    expect(alpha.endpoints()).toEqual([]);

    bench.server.cluster.serve(POOLS, true);
    bench.put(pool());
    await bench.until('it is served', () => alpha.endpoints()?.length === 1, 1_000);
  });

  test('is told to nobody before it is known, whatever the API server has', async () => {
    bench.server.down();
    const alpha = follow(POOL);
    await bench.settled();
    await bench.clock.advance(60_000);
    expect([alpha.current(), changes]).toEqual([undefined, 0]);

    bench.server.up();
    await bench.until('it is known', () => alpha.endpoints()?.length === 1, 1_000);
  });

  test('is told to nobody while its pods are not known', async () => {
    bench.server.answer({ code: 503, when: asksFor('pods'), times: 1_000 });
    const alpha = follow(POOL);

    await bench.until('the pool is known', () => changes > 0);
    await bench.settled();

    expect(alpha.current()).toBeUndefined();
  });

  test('keeps what is known while the API server is away', async () => {
    const alpha = await followed(POOL);

    bench.server.down();
    await bench.settled();
    await bench.clock.advance(600_000);
    expect(alpha.endpoints()).toEqual(['10.0.0.1 8000']);
    bench.put(pod('b', '10.0.0.2'));
    bench.server.up();

    await bench.until('it is up to date', () => alpha.endpoints()?.length === 2, 1_000);
  });
});

describe('a picker', () => {
  test('has the replicas of its Service, one after the other', async () => {
    bench.put(service(), slice(['10.0.0.2', '10.0.0.1']));

    const epp = await followed(PICKER);

    expect(epp.current()?.clusterName).toBe(PICKER);
    expect(epp.tiers()).toEqual([['10.0.0.1 9002'], ['10.0.0.2 9002']]);
  });

  test('tells of each change of its slices and of itself', async () => {
    bench.put(service(), slice(['10.0.0.1']));
    const epp = await followed(PICKER);

    bench.put(slice(['10.0.0.2']));
    await bench.until('another replica', () => epp.tiers()?.[0]?.[0] === '10.0.0.2 9002');
    bench.remove(service());
    await bench.until('no Service', () => epp.tiers()?.length === 0);
    bench.put(service());
    await bench.until('it is back', () => epp.tiers()?.length === 1);
  });

  test('is told to nobody while its Service or its slices are not known', async () => {
    for (const plural of ['services', 'endpointslices']) {
      bench.server.answer({ code: 503, when: asksFor(plural), times: 3 });
      const epp = follow(PICKER);
      await bench.settled();
      expect(epp.current()).toBeUndefined();

      await bench.until('both are known', () => epp.current() !== undefined, 1_000);
    }
  });
});

test('a name of nothing has no endpoints, and nobody is asked', () => {
  const resource = follow('httproute/models/chat/rule/0');

  expect(resource.current()?.clusterName).toBe('httproute/models/chat/rule/0');
  expect(resource.endpoints()).toEqual([]);
  resource.stop();
  expect(bench.server.requests).toEqual([]);
});

test.each([POOL, PICKER])('%s is watched until it is stopped, and not a moment longer', async (name) => {
  bench.put(pool(), pod('a', '10.0.0.1'), service(), slice(['10.0.0.1']));
  const resource = await followed(name);

  resource.stop();
  resource.stop();

  await bench.until('no watch is open', () => bench.server.openWatches() === 0);
});
