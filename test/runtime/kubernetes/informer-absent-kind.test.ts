import { until } from '../../support/until';
import { GATEWAYS, InformerBench, PODS, SPEED } from './support/informer-bench';

let bench: InformerBench;
beforeEach(async () => {
  bench = await InformerBench.open();
});
afterEach(() => bench.close());

const lists = () => bench.server.requests.filter(({ query }) => !query.has('watch')).length;

describe('a kind that is not served', () => {
  test('is absent, without faults, until it is served', async () => {
    bench.server.cluster.serve(GATEWAYS, false);
    const started = bench.start({ resource: GATEWAYS });
    await until('it is absent', () => started.informer.state() === 'absent');
    await until('it is looked for again', () => lists() >= 3);
    expect(started.faults).toEqual([]);
    expect(started.informer.stalenessMs()).toBeLessThan(11_000 * 5);

    bench.server.cluster.serve(GATEWAYS, true);
    bench.server.cluster.put(GATEWAYS, { metadata: { name: 'a', namespace: 'team' } });

    await until('its objects are known', () => started.changes.length === 1);
    expect(started.syncs).toEqual(['absent', 'synced']);
  });

  test('is looked for every 10 s', async () => {
    bench.server.cluster.serve(GATEWAYS, false);
    const began = performance.now();
    bench.start({ resource: GATEWAYS });

    await until('it is looked for again', () => lists() >= 6);

    expect(((performance.now() - began) * SPEED) / 5).toBeGreaterThan(9_900);
  });

  test('loses its objects when it is taken away', async () => {
    bench.server.cluster.put(GATEWAYS, { metadata: { name: 'a', namespace: 'team' } });
    const started = bench.start({ resource: GATEWAYS });
    await bench.synced(started);

    bench.server.freeze();
    bench.server.cluster.serve(GATEWAYS, false);
    bench.server.cut();

    await until('it is absent', () => started.informer.state() === 'absent');
    expect(started.changes).toEqual(['+a', '-a']);
    expect(started.faults.filter((fault) => fault.includes('404'))).toEqual([]);
  });

  test('keeps them for one answer alone', async () => {
    bench.server.cluster.put(GATEWAYS, { metadata: { name: 'a', namespace: 'team' } });
    const started = bench.start({ resource: GATEWAYS, relistMs: 5_000 });
    await bench.synced(started);
    const before = lists();
    bench.server.answer({ code: 404, body: 'no such page', when: ({ query }) => !query.has('watch') });

    await until('it has listed twice more', () => lists() >= before + 2);

    expect(started.changes).toEqual(['+a']);
    expect(started.syncs).toEqual(['synced']);
  });

  test('is a fault where it is one of the core', async () => {
    bench.server.cluster.serve(PODS, false);
    const started = bench.start();

    await until('it has failed', () => started.faults.length >= 2);

    expect(started.informer.state()).toBe('starting');
  });
});
