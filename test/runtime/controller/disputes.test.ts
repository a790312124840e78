import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, DEPLOYMENTS, GATEWAYS, INSTALLATION, SLICES } from './support/bench';
import { gatewayConfig, modelPod } from './support/objects';

const NETWORK_POLICIES = resourceOf('networking.k8s.io/v1', 'NetworkPolicy');
const EVENTS = resourceOf('events.k8s.io/v1', 'Event');

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle(30_000);
});

afterEach(() => bench.close());

const notes = () =>
  bench.api.cluster
    .list(EVENTS)
    .filter(({ reason }) => reason === 'Disputed')
    .map(({ note }) => String(note));

const appliesSince = (before: number, text: string) =>
  bench.api.writes.slice(before).filter((write) => write.startsWith(`apply ${text}`)).length;

test('an object that is deleted again and again is made every 5 s, and it is told which', async () => {
  const stop = bench.api.cluster.onChange(({ resource, object }) => {
    if (resource !== NETWORK_POLICIES || object === undefined) return;
    setImmediate(() => bench.remove(object));
  });
  const before = bench.api.writes.length;
  bench.remove(bench.api.cluster.get(NETWORK_POLICIES, 'gw-bbr', INSTALLATION.systemNamespace)!);

  await bench.settle(60_000);
  stop();

  expect(appliesSince(before, 'NetworkPolicy')).toBeGreaterThan(5);
  expect(appliesSince(before, 'NetworkPolicy')).toBeLessThan(16);
  expect(notes()).toEqual([
    expect.stringContaining('NetworkPolicy inference-system/gw-bbr is deleted again and again'),
  ]);
  await bench.settle(10_000);
  expect(bench.api.cluster.get(NETWORK_POLICIES, 'gw-bbr', INSTALLATION.systemNamespace)).toBeDefined();
});

test('of one that is changed again and again it is told by whom', async () => {
  const router = () => bench.api.cluster.get(DEPLOYMENTS, 'gw-bbr', INSTALLATION.systemNamespace)!;
  const scale = () =>
    bench.edit(router(), ({ spec, metadata }) => {
      Object.assign(spec as object, { replicas: 9 });
      const { managedFields } = metadata as { managedFields: object[] };
      const by = (manager: string, subresource: string | undefined, day: number) => ({
        ...{ manager, operation: 'Update', subresource, time: `2026-01-0${day}T00:00:00Z` },
        fieldsV1: { paths: [] },
      });
      managedFields.push(by('kubectl-edit', undefined, 1), by('autoscaler', 'scale', 2), by('kube', 'status', 3));
    });
  const stop = bench.api.cluster.onChange(({ resource, object }) => {
    const { replicas } = (object?.spec ?? {}) as { replicas?: number };
    if (resource === DEPLOYMENTS && object?.metadata.name === 'gw-bbr' && replicas !== 9) setImmediate(scale);
  });
  scale();

  await bench.settle(60_000);
  stop();

  expect(notes()).toEqual([
    expect.stringContaining(
      'Deployment inference-system/gw-bbr is changed again and again by field manager autoscaler',
    ),
  ]);
});

test('an EndpointSlice that somebody keeps deleting is not made without end either', async () => {
  bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
  await bench.settle();
  const stop = bench.api.cluster.onChange(({ resource, object }) => {
    if (resource === SLICES && object !== undefined) setImmediate(() => bench.remove(object));
  });
  const before = bench.api.writes.length;
  for (const slice of bench.api.cluster.list(SLICES)) bench.remove(slice);

  await bench.settle(60_000);
  stop();

  expect(appliesSince(before, 'EndpointSlice')).toBeLessThan(16);
  await bench.settle(10_000);
  expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);
});

test('once or twice is no dispute', async () => {
  for (let i = 0; i < 2; i++) {
    bench.remove(bench.api.cluster.get(NETWORK_POLICIES, 'gw-bbr', INSTALLATION.systemNamespace)!);
    await bench.settle(10_000);
  }

  expect(notes()).toEqual([]);
  expect(bench.api.cluster.get(NETWORK_POLICIES, 'gw-bbr', INSTALLATION.systemNamespace)).toBeDefined();
});

test.each([
  'inference.sagemaker.aws.amazon.com/gateway',
  'inference.sagemaker.aws.amazon.com/gateway-namespace',
  'app.kubernetes.io/managed-by',
])('the label %s that somebody takes off is put back', async (label) => {
  const gateway = () => bench.api.cluster.get(GATEWAYS, 'gw', INSTALLATION.systemNamespace)!;
  bench.edit(gateway(), ({ metadata }) => {
    Reflect.deleteProperty((metadata as { labels: object }).labels, label);
  });

  await bench.settle(60_000);

  expect(Object.keys(gateway().metadata.labels ?? {})).toContain(label);
  expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
});
