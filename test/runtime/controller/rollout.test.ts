import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { Bench, DEPLOYMENTS, SERVICES } from './support/bench';
import { gatewayConfig, schedulerOf } from './support/objects';

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle();
});

afterEach(() => bench.close());

const pickers = () =>
  bench.api.cluster.list(DEPLOYMENTS, 'team').filter(({ metadata }) => metadata.name.startsWith('llama-epp'));

/** As the Deployment controller says it. */
function setAvailable(deployment: KubernetesObject, available: boolean): void {
  bench.edit(deployment, (object) => {
    const status = { observedGeneration: deployment.metadata.generation, availableReplicas: available ? 2 : 0 };
    object.status = { ...status, conditions: [{ type: 'Available', status: available ? 'True' : 'False' }] };
  });
}

/** Its pods, as the ReplicaSet makes them. */
function startPods({ metadata, spec }: KubernetesObject): void {
  const { template } = spec as { template: { metadata: { labels: Record<string, string> } } };
  const { labels } = template.metadata;
  bench.put({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `${metadata.name}-0`, namespace: 'team', labels } });
}

/** As the EndpointSlice controller lists them, the labels of the Service copied. */
function listPods(...deployments: readonly KubernetesObject[]): void {
  const { labels } = bench.api.cluster.get(SERVICES, 'llama-epp', 'team')!.metadata;
  const own = {
    'kubernetes.io/service-name': 'llama-epp',
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  };
  bench.put({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'llama-epp-abcde', namespace: 'team', labels: { ...labels, ...own } },
    addressType: 'IPv4',
    endpoints: deployments.map(({ metadata }) => ({
      addresses: ['10.2.0.1'],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', name: `${metadata.name}-0`, namespace: 'team' },
    })),
  });
}

function change(more: object): void {
  bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers: [schedulerOf('llama', more)] }));
}

test('the old pickers go when routers reach the new ones, and not before', async () => {
  const [old] = pickers();
  setAvailable(old!, true);
  startPods(old!);
  listPods(old!);
  change({ env: [{ name: 'A', value: '1' }] });
  await bench.settle();
  const fresh = pickers().find(({ metadata }) => metadata.name !== old!.metadata.name)!;
  expect(pickers()).toHaveLength(2);

  setAvailable(fresh, true);
  startPods(fresh);
  await bench.settle(600_000);
  expect(pickers()).toHaveLength(2);

  listPods(old!, fresh);
  await bench.settle();
  expect(pickers().map(({ metadata }) => metadata.name)).toEqual([fresh.metadata.name]);
});

test('new pickers that never come up are replaced in turn, and the old ones serve on', async () => {
  const [old] = pickers();
  setAvailable(old!, true);
  change({ env: [{ name: 'A', value: 'bad' }] });
  await bench.settle();
  const bad = pickers().find(({ metadata }) => metadata.name !== old!.metadata.name)!;
  setAvailable(bad, false);

  change({ env: [{ name: 'A', value: 'good' }] });
  await bench.settle();

  const left = pickers().map(({ metadata }) => metadata.name);
  expect(left).toHaveLength(2);
  expect(left).toContain(old!.metadata.name);
  expect(left).not.toContain(bad.metadata.name);
});

test('back to the former spec: its pickers are still there, and the others go', async () => {
  const [old] = pickers();
  setAvailable(old!, true);
  startPods(old!);
  listPods(old!);
  change({ env: [{ name: 'A', value: 'bad' }] });
  await bench.settle();

  change({});
  await bench.settle();

  expect(pickers().map(({ metadata }) => metadata.name)).toEqual([old!.metadata.name]);
});

test('weights are no new pickers', async () => {
  const [before] = pickers();

  change({ weights: { queue: 5 } });
  await bench.settle();

  expect(pickers().map(({ metadata }) => metadata.name)).toEqual([before!.metadata.name]);
});
