import { Bench, INSTALLATION, PODS, SLICES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig([schedulerOf('llama'), schedulerOf('mistral')]));
});

afterEach(() => bench.close());

const sliceWrites = () => bench.api.writes.filter((write) => write.startsWith('apply EndpointSlice'));

test('a pod is in its EndpointSlice well within a second', async () => {
  bench.start();
  await bench.settle();

  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  await bench.settle(25);

  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);
});

test('pods that are there before are in the slices before there is a route', async () => {
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.start();

  await bench.settle();

  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);
  const { writes } = bench.api;
  expect(writes.indexOf('apply EndpointSlice team/llama-pool-ipv4-0')).toBeLessThan(
    writes.indexOf('apply HTTPRoute team/llama'),
  );
});

test('a pod that is no longer ready, and one that is gone', async () => {
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.put(modelPod('llama-1', 'llama', '10.1.0.2'));
  bench.start();
  await bench.settle();

  bench.put(modelPod('llama-0', 'llama', '10.1.0.1', false));
  bench.api.cluster.delete(PODS, 'llama-1', 'team');
  await bench.settle(25);

  expect(bench.addresses('llama')).toEqual(['10.1.0.1 not ready']);
});

test('a pod that changes its labels changes its scheduler', async () => {
  bench.put(modelPod('a', 'llama', '10.1.0.1'));
  bench.start();
  await bench.settle();

  bench.put(modelPod('a', 'mistral', '10.1.0.1'));
  await bench.settle(25);

  expect(bench.addresses('llama')).toEqual(['192.0.2.1 not ready']);
  expect(bench.addresses('mistral')).toEqual(['10.1.0.1 ready']);
});

test('a burst of pods is one write, and of their scheduler alone', async () => {
  bench.start();
  await bench.settle();
  const before = sliceWrites().length;

  for (let i = 0; i < 50; i++) bench.put(modelPod(`llama-${i}`, 'llama', `10.1.0.${i + 1}`));
  await bench.settle();

  expect(sliceWrites().slice(before)).toEqual(['apply EndpointSlice team/llama-pool-ipv4-0']);
});

test('what does not show in a slice writes none', async () => {
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.put(modelPod('other-0', 'other', '10.1.0.7'));
  bench.start();
  await bench.settle();
  const before = sliceWrites().length;

  bench.edit(bench.api.cluster.get(PODS, 'llama-0', 'team')!, ({ metadata }) => {
    Object.assign(metadata as object, { annotations: { a: 'b' } });
  });
  bench.put(modelPod('other-1', 'other', '10.1.0.8'));
  await bench.settle();

  expect(sliceWrites().slice(before)).toEqual([]);
});

test('250 pods are three slices, and a change of one is a write of one', async () => {
  for (let i = 0; i < 250; i++) bench.put(modelPod(`llama-${i}`, 'llama', `10.1.${i >> 7}.${(i & 127) + 1}`));
  bench.start();
  await bench.settle();
  const slices = bench.api.cluster.list(SLICES, 'team').filter(({ metadata }) => metadata.name.startsWith('llama'));
  expect(slices).toHaveLength(3);
  const before = sliceWrites().length;

  bench.put(modelPod('llama-7', 'llama', '10.1.0.8', false));
  await bench.settle();

  expect(sliceWrites().slice(before)).toHaveLength(1);
  expect(new Set(bench.addresses('llama')).size).toBe(250);
});

test("a stranger's change and deletion of a slice are undone", async () => {
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.start();
  await bench.settle();
  const slice = bench.api.cluster.get(SLICES, 'llama-pool-ipv4-0', 'team')!;
  bench.edit(slice, (object) => {
    object.endpoints = [];
  });
  await bench.settle();
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);

  bench.api.cluster.delete(SLICES, 'llama-pool-ipv4-0', 'team');
  await bench.settle();
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);
});

test('slices that cannot be written hold up the route of their scheduler, and are tried again', async () => {
  bench.api.mishap = ({ verb, name, resource }) =>
    verb === 'apply' && resource === SLICES && name.startsWith('llama')
      ? {
          when: 'before',
          error: refused(
            403,
            'Forbidden',
            'endpointslices is forbidden: User "c" cannot patch resource "endpointslices"',
          ),
        }
      : undefined;
  bench.start();
  await bench.settle();
  expect(bench.api.writes).not.toContain('apply HTTPRoute team/llama');
  expect(bench.api.writes).toContain('apply HTTPRoute team/mistral');
  expect(bench.eventReasons()).toContain('Forbidden');

  bench.api.mishap = () => undefined;
  await bench.settle(70_000);
  expect(bench.api.writes).toContain('apply HTTPRoute team/llama');
});

test('however long slices could not be written, they are right seconds after they can', async () => {
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.start();
  await bench.settle();
  bench.api.mishap = ({ verb, resource }) =>
    verb === 'apply' && resource === SLICES
      ? { when: 'before', error: refused(500, 'InternalError', 'etcdserver: no leader') }
      : undefined;
  bench.put(modelPod('llama-1', 'llama', '10.1.0.2'));
  await bench.settle(120_000);
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);

  bench.api.mishap = () => undefined;
  await bench.settle(6_000);
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready', '10.1.0.2 ready']);
});

test('the status counts pods that are ready', async () => {
  bench.start();
  await bench.settle();
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  bench.put(modelPod('llama-1', 'llama', '10.1.0.2', false));

  await bench.settle(5_000);

  const { schedulers } = bench.config().status as {
    schedulers: Array<{ name: string; conditions: Array<{ type: string; message: string }> }>;
  };
  const pods = schedulers.find(({ name }) => name === 'llama')?.conditions.find(({ type }) => type === 'PodsReady');
  expect(pods?.message).toBe('1 of 2 pods are ready.');
});

test('pods of namespaces without a config are not even asked for', async () => {
  const asked = new Set<string | undefined>();
  bench.api.mishap = ({ verb, resource, namespace }) => {
    if (verb === 'list' && resource === PODS) asked.add(namespace);
    return undefined;
  };
  bench.start();

  await bench.settle();

  expect([...asked]).toEqual(['team']);
  expect(INSTALLATION.systemNamespace).not.toBe('team');
});

test('the time from a pod to its slice is measured', async () => {
  const controller = bench.start();
  await bench.settle();
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  await bench.settle();

  const { text } = await controller.metricsPage();

  expect(text).toContain('inference_gateway_controller_endpoint_slice_latency_seconds_count 1');
  expect(text).toContain('inference_gateway_controller_endpoint_slice_latency_seconds_bucket{le="0.02"} 1');
});
