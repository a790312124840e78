import { CONTROLLER_NAME } from '../../../../runtime/inference-pools/status/merge-parents';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import { until } from '../../../support/until';
import { isWrite, LoopBench, POOLS } from './support/loop-bench';
import { backend, gateway, gatewayClass, judged, PICKER, pool, route, service } from './support/objects';

const THEN = '2026-01-01T00:00:00Z';
const ACCEPTED = 'gw True/Accepted True/ResolvedRefs';

const accepted = (name = 'chat', backendName = 'llama') =>
  route(name, { parents: [judged('True')], backendRefs: [backend(backendName)] });
const foreign = (name = 'other', controllerName = `example.com/${name}`) => ({
  parentRef: { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'team', name },
  controllerName,
  conditions: [{ type: 'Accepted', status: 'True', reason: 'Accepted', message: '', lastTransitionTime: THEN }],
});

let bench: LoopBench;
beforeEach(async () => {
  bench = await LoopBench.open();
  bench.put(gatewayClass(), gateway(), pool());
});
afterEach(() => bench.close());

test('a pool is told of as its routes come, are judged, and go', async () => {
  bench.start();
  bench.put(route());
  await bench.untilTold(['gw Unknown/Pending True/ResolvedRefs']);

  bench.put(route('chat', { parents: [judged('False')] }));
  await bench.untilTold(['gw False/HTTPRouteNotAccepted True/ResolvedRefs']);

  bench.put(accepted('second'));
  await bench.untilTold([ACCEPTED]);

  bench.remove(accepted('second'));
  bench.remove(route());
  await bench.untilTold([]);
});

test('each Gateway has an entry of its own, which goes with the Gateway, its class, or its routes', async () => {
  const second = { name: 'second' };
  const gateways = [gateway('second'), gateway('third', 'team', 'other')];
  bench.put(...gateways, gatewayClass('other'));
  const both = route('both', { parentRefs: [second, { name: 'third' }], parents: [judged('True', second)] });
  bench.put(accepted(), both);
  bench.start();
  await bench.untilTold([
    ACCEPTED,
    'second True/Accepted True/ResolvedRefs',
    'third Unknown/Pending True/ResolvedRefs',
  ]);

  bench.put(gatewayClass('other', 'example.com/another'));
  await bench.untilTold([ACCEPTED, 'second True/Accepted True/ResolvedRefs']);
  bench.remove(gateways[0]!);
  await bench.untilTold([ACCEPTED]);
  bench.put(accepted('chat', 'qwen'));
  await bench.untilTold([]);
});

test('a picker that comes later is told', async () => {
  bench.put(pool('llama', PICKER), accepted());
  bench.start();
  await bench.untilTold(['gw True/Accepted False/InvalidExtensionRef']);
  const [before] = bench.parents();

  bench.put(service());
  await bench.untilTold([ACCEPTED]);
  expect(bench.parents()[0]?.conditions[0]).toEqual(before?.conditions[0]);
  bench.remove(service());
  await bench.untilTold(['gw True/Accepted False/InvalidExtensionRef']);
});

test('the generation of the pool is told', async () => {
  bench.put(accepted());
  bench.start();
  await bench.untilTold([ACCEPTED]);

  bench.put({ ...bench.server.cluster.get(POOLS, 'llama', 'team')!, spec: { targetPorts: [{ number: 1 }] } });

  await until('generation 2', () =>
    bench.parents()[0]?.conditions.every((one) => (one as { observedGeneration?: number }).observedGeneration === 2),
  );
});

describe('of what others write', () => {
  test('every entry stays', async () => {
    bench.put(pool('llama', {}, [foreign('a'), foreign('b')]), accepted());
    bench.start();
    await bench.untilTold(['example.com/a', 'example.com/b', ACCEPTED]);

    bench.remove(accepted());
    await bench.untilTold(['example.com/a', 'example.com/b']);
    expect(bench.parents()).toEqual([foreign('a'), foreign('b')]);
  });

  test('nothing is written back, and a pool that none of ours leads to is left alone', async () => {
    bench.put(pool('llama', {}, [foreign('a')]));
    bench.start();
    await bench.quiet();
    bench.put(pool('llama', {}, [foreign('b')]));
    await bench.quiet();

    expect(bench.writes()).toEqual([]);
    expect(bench.told()).toEqual(['example.com/b']);
  });

  test('where they leave no room it is logged once, and nothing written', async () => {
    const all = Array.from({ length: 32 }, (_, i) => foreign(`c${i}`));
    bench.put(pool('llama', {}, all), accepted());
    bench.start();
    await until('it is logged', () => bench.warnings.length > 0);
    bench.put(gateway('unrelated'), gateway('another'));
    await bench.quiet();

    expect(bench.warnings).toEqual([
      expect.stringMatching(/^InferencePool team\/llama: status\.parents is full .* Gateway team\/gw; remove entries/),
    ]);
    expect(bench.writes()).toEqual([]);
    bench.put(pool('llama', {}, all.slice(1)));
    await bench.untilTold([...all.slice(1).map(({ controllerName }) => controllerName), ACCEPTED]);
  });

  test('one who takes our entry off again and again has it put back ever more seldom, and it is logged', async () => {
    bench.put(accepted());
    bench.start();
    let undone = 0;
    bench.server.cluster.onChange(({ resource, object }) => {
      const { parents = [] } = (object?.status ?? {}) as { parents?: unknown[] };
      if (resource !== POOLS || parents.length === 0 || undone >= 1_000) return;
      undone += 1;
      setImmediate(() => bench.put(pool()));
    });
    await until('it is logged', () => bench.warnings.length > 1);
    await bench.quiet();

    expect(bench.warnings[0]).toMatch(/InferencePool team\/llama: somebody changed what this controller writes/);
    expect(undone).toBeLessThan(10);
  });
});

describe('at the start', () => {
  test('entries of a former leader that nothing leads to any more are removed', async () => {
    bench.put(pool('llama', {}, [foreign(), foreign('gone', CONTROLLER_NAME), foreign('gw', CONTROLLER_NAME)]));
    bench.put(accepted());
    bench.start();

    await bench.untilTold(['example.com/other', ACCEPTED]);
  });

  test('what is as it should be is not written', async () => {
    bench.put(accepted());
    bench.start();
    await bench.untilTold([ACCEPTED]);
    bench.stop.abort();
    const again = await LoopBench.open();
    again.put(gatewayClass(), gateway(), accepted());
    again.put({ ...pool('llama', {}, bench.parents()) });
    again.start();
    await again.quiet();
    const writes = again.writes();
    await again.close();

    expect(writes).toEqual([]);
  });

  test.each(['HTTPRoute', 'Gateway', 'GatewayClass'])('nothing is removed before every %s is known', async (kind) => {
    const { plural } = resourceOf('gateway.networking.k8s.io/v1', kind);
    bench.put(pool('llama', {}, [foreign('gw', CONTROLLER_NAME)]), accepted());
    let open = false;
    bench.server.answer({ code: 503, times: 1_000, when: ({ path }) => !open && path.endsWith(`/${plural}`) });
    bench.start();
    await bench.quiet();
    expect(bench.writes()).toEqual([]);

    open = true;
    await bench.untilTold([ACCEPTED]);
  });

  test('a kind that cannot be read is logged by name', async () => {
    bench.put(accepted());
    bench.server.answer({ code: 403, times: 1_000, when: ({ path }) => path.endsWith('/referencegrants') });
    bench.start();

    await until('it is logged', () =>
      bench.warnings.some((line) =>
        /not written before referencegrants\.gateway\.networking\.k8s\.io can be/.test(line),
      ),
    );
    expect(bench.writes()).toEqual([]);
  });

  test.each([
    ['ListenerSet', 'gateway.networking.k8s.io/v1'],
    ['ReferenceGrant', 'gateway.networking.k8s.io/v1beta1'],
  ])('a cluster without %s has none', async (kind, apiVersion) => {
    bench.server.cluster.serve(resourceOf(apiVersion, kind), false);
    bench.put(accepted());
    bench.start();

    await bench.untilTold([ACCEPTED]);
  });

  test('a cluster without pools is waited for, and no fault', async () => {
    bench.server.cluster.serve(POOLS, false);
    bench.start();
    await bench.quiet();
    expect(bench.warnings).toEqual([]);

    bench.server.cluster.serve(POOLS, true);
    bench.put(pool(), accepted());
    await bench.untilTold([ACCEPTED]);
  });
});

test('while another controller is there nothing is written, and afterwards all is', async () => {
  bench.mayWrite = false;
  bench.put(pool('llama', {}, [foreign('gone', CONTROLLER_NAME)]), accepted());
  const loop = bench.start();
  await bench.quiet();
  expect(bench.writes()).toEqual([]);

  bench.mayWrite = true;
  loop.look();
  await bench.untilTold([ACCEPTED]);
});

describe('a write that fails', () => {
  test('is tried again, logged once and counted', async () => {
    bench.put(accepted());
    bench.server.answer({ code: 403, times: 3, when: isWrite });
    bench.start();

    await bench.untilTold([ACCEPTED]);
    expect(bench.failures).toEqual(['InferencePool 403', 'InferencePool 403', 'InferencePool 403']);
    expect(bench.warnings).toEqual(['the status of InferencePool team/llama could not be written: planned 403']);
  });

  test('is not tried again at every change of something else', async () => {
    bench.put(accepted());
    bench.server.answer({ code: 403, times: 1_000, when: isWrite });
    bench.start();
    await until('it has failed', () => bench.failures.length > 2);
    for (let i = 0; i < 20; i++) {
      bench.put(gateway(`more-${i}`));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }

    expect(bench.failures.length).toBeLessThan(10);
  });

  test('holds up no other pool', async () => {
    bench.put(pool('qwen'), accepted(), accepted('code', 'qwen'));
    bench.server.answer({ code: 500, times: 1_000, when: (seen) => isWrite(seen) && seen.path.includes('/llama/') });
    bench.start();

    await bench.untilTold([ACCEPTED], 'qwen');
    expect(bench.told()).toEqual([]);
  });
});

test('it ends with its signal, whatever is under way', async () => {
  bench.put(accepted());
  bench.server.delayMs = 50;
  const loop = bench.start();
  await until('it writes', () => bench.writes().length > 0);

  bench.stop.abort();
  await loop.done;

  const { length } = bench.server.requests;
  bench.server.delayMs = 0;
  bench.put(pool('qwen'), accepted('code', 'qwen'));
  await bench.quiet();
  expect(bench.server.requests).toHaveLength(length);
});
