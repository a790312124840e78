import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, CONFIGS, DEPLOYMENTS, GATEWAYS, INSTALLATION, ROUTES, SERVICES, SLICES } from './support/bench';
import { clusterWrites, namesOf } from './support/cluster-writes';
import { refused } from './support/memory-api';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

test('a config becomes what it is translated to', async () => {
  bench.put(gatewayConfig());
  bench.start();

  await bench.settle();

  const wanted = bench.translation().objects;
  expect(wanted.length).toBeGreaterThan(20);
  for (const object of wanted) expect(bench.find(object)).toMatchObject(object as never);
});

test('a quiet cluster costs no writes', async () => {
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle(60_000);
  const before = clusterWrites(bench).length;

  await bench.settle(3_600_000);

  expect(clusterWrites(bench).slice(before)).toEqual([]);
});

test('a process that comes to lead changes nothing where nothing is to be changed', async () => {
  bench.put(gatewayConfig());
  const first = bench.start();
  await bench.settle();
  await first.stop();
  const versions = () =>
    bench.made().map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
  const before = versions();

  bench.start('controller-2');
  await bench.settle(60_000);

  expect(versions()).toEqual(before);
});

test('what routes rely on is applied before them', async () => {
  bench.put(gatewayConfig());
  bench.start();

  await bench.settle();

  const order = clusterWrites(bench).map((write) => write.split(' ').slice(0, 2).join(' '));
  const routes = order.indexOf('apply HTTPRoute');
  for (const kind of ['Service', 'EndpointSlice', 'Deployment', 'SecurityPolicy', 'BackendTrafficPolicy', 'Gateway']) {
    const last = order.lastIndexOf(`apply ${kind}`);
    if (last >= 0) expect(`${kind} ${last < routes}`).toBe(`${kind} true`);
  }
  expect(routes).toBeGreaterThan(0);
});

test('a new route comes when Envoy Gateway has heard of the endpoints that it leads to', async () => {
  bench.put(gatewayConfig());
  bench.start();
  await bench.clock.advance(900);
  expect(bench.api.cluster.list(SLICES)).not.toEqual([]);
  expect(bench.api.cluster.list(ROUTES)).toEqual([]);

  await bench.clock.advance(900);
  expect(bench.api.cluster.list(ROUTES)).not.toEqual([]);
});

test('what a route leads to goes when Envoy Gateway has heard that the route is gone', async () => {
  bench.put(gatewayConfig([schedulerOf('llama'), schedulerOf('mistral')]));
  bench.start();
  await bench.settle();
  const route = () => bench.api.cluster.get(ROUTES, 'mistral', 'team');
  const service = () => bench.api.cluster.get(SERVICES, 'mistral-pool', 'team');
  expect(service()).toBeDefined();

  bench.put(gatewayConfig([schedulerOf('llama')]));
  for (let waited = 0; route() !== undefined; waited += 50) {
    expect(waited).toBeLessThan(3_000);
    await bench.clock.advance(50);
  }
  await bench.clock.advance(900);
  expect(service()).toBeDefined();
  await bench.settle();
  expect(service()).toBeUndefined();
});

test('the finalizer is set before anything is made, and spec is never written', async () => {
  bench.put(gatewayConfig());
  bench.start();

  await bench.settle();

  const own = clusterWrites(bench).filter(
    (write) => write.includes('InferenceGatewayConfig') || write.includes('Deployment'),
  );
  expect(own[0]).toBe('apply InferenceGatewayConfig team/gw');
  expect(bench.config().metadata.finalizers).toEqual(['inference.sagemaker.aws.amazon.com/gateway']);
  expect(bench.config().metadata.generation).toBe(1);
});

test("another field manager's scheduler is served, and kept", async () => {
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle();
  const { apiVersion, kind, metadata } = bench.config();
  const added = {
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace: metadata.namespace },
    spec: { schedulers: [schedulerOf('mistral')] },
  };
  await bench.api.apply(CONFIGS, added as never, { fieldManager: 'operator' });

  await bench.settle();

  expect(
    bench.find({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'mistral-pool', namespace: 'team' } }),
  ).toBeDefined();
  expect((bench.config().spec as { schedulers: unknown[] }).schedulers).toHaveLength(2);
});

test('a scheduler that is removed leaves nothing behind, its route first', async () => {
  bench.put(gatewayConfig([schedulerOf('llama'), schedulerOf('mistral')]));
  bench.start();
  await bench.settle();
  const before = clusterWrites(bench).length;
  bench.edit(bench.config(), ({ spec }) => (spec as { schedulers: unknown[] }).schedulers.pop());

  await bench.settle();

  expect(bench.made().filter(({ metadata }) => metadata.name.startsWith('mistral'))).toEqual([]);
  const deletions = clusterWrites(bench)
    .slice(before)
    .filter((write) => write.startsWith('delete'));
  expect(deletions.slice(0, 2).sort()).toEqual(['delete HTTPRoute team/gw-catch-all', 'delete HTTPRoute team/mistral']);
  expect(
    bench.find({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'llama-pool', namespace: 'team' } }),
  ).toBeDefined();
});

test('what has the labels only by copy is not deleted', async () => {
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle();
  const service = bench.api.cluster.get(SERVICES, 'llama-epp', 'team')!;
  const copy = { name: 'copy', namespace: 'team', labels: service.metadata.labels! };
  bench.put({ ...service, metadata: copy });

  await bench.settle(600_000);

  expect(bench.api.cluster.get(SERVICES, 'copy', 'team')).toBeDefined();
  expect(clusterWrites(bench).filter((write) => write.startsWith('delete'))).toEqual([]);
});

describe("somebody else's changes", () => {
  test('of a field of ours are put back; of others they stay', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    const service = bench.api.cluster.get(SERVICES, 'llama-epp', 'team')!;
    bench.edit(service, ({ spec, metadata }) => {
      Object.assign(spec as object, { clusterIP: '10.0.0.9', sessionAffinity: 'ClientIP' });
      Object.assign(metadata as object, { annotations: { mine: 'yes' } });
    });

    await bench.settle();

    const after = bench.api.cluster.get(SERVICES, 'llama-epp', 'team')!;
    expect(after.spec).toMatchObject({ clusterIP: 'None', sessionAffinity: 'ClientIP' });
    expect(after.metadata.annotations).toMatchObject({ mine: 'yes' });
  });

  test('that never end are put back, and not without end', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    const stop = bench.api.cluster.onChange(({ object }) => {
      if (object?.metadata.name !== 'llama-epp' || object.kind !== 'Service') return;
      const { clusterIP } = object.spec as { clusterIP: string };
      if (clusterIP === 'None') {
        setImmediate(() => bench.edit(object, ({ spec }) => Object.assign(spec as object, { clusterIP: '10.0.0.9' })));
      }
    });
    const before = clusterWrites(bench).length;
    bench.edit(bench.api.cluster.get(SERVICES, 'llama-epp', 'team')!, ({ spec }) =>
      Object.assign(spec as object, { clusterIP: '10.0.0.9' }),
    );

    await bench.settle(60_000);
    stop();
    await bench.settle(10_000);

    const puts = clusterWrites(bench)
      .slice(before)
      .filter((write) => write === 'apply Service team/llama-epp').length;
    expect(puts).toBeGreaterThan(5);
    expect(puts).toBeLessThan(16);
    expect(bench.api.cluster.get(SERVICES, 'llama-epp', 'team')!.spec).toMatchObject({ clusterIP: 'None' });
  });

  test('that delete an object are undone', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    bench.api.cluster.delete(ROUTES, 'llama', 'team');
    bench.api.cluster.delete(GATEWAYS, 'gw', INSTALLATION.systemNamespace);

    await bench.settle();

    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
    expect(bench.api.cluster.get(GATEWAYS, 'gw', INSTALLATION.systemNamespace)).toBeDefined();
  });

  test('that delete an object while the watch is broken are undone', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    bench.api.mishap = ({ verb }) =>
      verb === 'watch' || verb === 'list'
        ? { when: 'before', error: refused(503, 'ServiceUnavailable', 'away') }
        : undefined;
    bench.api.cutWatches();
    bench.api.cluster.delete(ROUTES, 'llama', 'team');
    bench.api.cluster.compact();
    await bench.settle(5_000);
    bench.api.mishap = () => undefined;

    await bench.settle(60_000);

    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
  });
});

describe('a config that is not valid', () => {
  test('changes nothing, says what is wrong, and is taken again when it is corrected', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    const before = bench.made();
    bench.edit(bench.config(), ({ spec }) =>
      Object.assign(spec as object, { schedulers: [schedulerOf('llama', { replicas: -1 })] }),
    );

    await bench.settle();

    expect(bench.condition('Accepted')).toMatchObject({ status: 'False', reason: 'Invalid' });
    expect(bench.condition('Accepted')?.message).toContain('spec.schedulers[0].replicas');
    expect(bench.eventReasons()).toContain('Invalid');
    expect(bench.made()).toEqual(before);

    bench.edit(bench.config(), ({ spec }) =>
      Object.assign(spec as object, { schedulers: [schedulerOf('llama', { replicas: 3 })] }),
    );
    await bench.settle();
    expect(bench.condition('Accepted')).toMatchObject({ status: 'True' });
    const [deployment] = bench.api.cluster.list(DEPLOYMENTS, 'team');
    expect(deployment?.spec).toMatchObject({ replicas: 3 });
  });

  test('still has its endpoints follow its pods', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    bench.edit(bench.config(), ({ spec }) =>
      Object.assign(spec as object, { schedulers: [schedulerOf('llama', { replicas: -1 })] }),
    );
    await bench.settle();

    bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
    await bench.settle();

    expect(bench.addresses('llama')).toEqual(['10.1.0.1 ready']);
  });
});

test('what must be set up for the whole cluster comes first, and holds up every gateway where it is refused', async () => {
  bench.setupProblems = [{ condition: 'Ready', reason: 'CrdRefused', message: 'too old: upgrade it', blocks: true }];
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle();
  expect(bench.condition('Ready')).toMatchObject({ status: 'False', reason: 'CrdRefused' });
  expect(bench.api.cluster.list(DEPLOYMENTS)).toEqual([]);

  bench.setupProblems = [];
  await bench.settle(310_000);
  expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
});

test('a kind that others would serve is applied once they do', async () => {
  const certificates = resourceOf('cert-manager.io/v1', 'Certificate');
  bench.api.cluster.serve(certificates, false);
  bench.put(gatewayConfig());
  const controller = bench.start();
  await bench.settle();
  expect(bench.eventReasons()).toContain('CertManagerMissing');
  expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
  expect(controller.isReady()).toBe(true);

  bench.api.cluster.serve(certificates, true);
  await bench.settle(15_000);
  expect(bench.api.cluster.list(certificates).length).toBeGreaterThan(0);
});

test('the GatewayClass is there before any config, and is put back', async () => {
  const classes = resourceOf('gateway.networking.k8s.io/v1', 'GatewayClass');
  bench.start();
  await bench.settle();
  expect(namesOf(bench.api.cluster.list(classes))).toEqual(['GatewayClass inference-gateway']);

  bench.api.cluster.delete(classes, 'inference-gateway');
  await bench.settle();
  expect(namesOf(bench.api.cluster.list(classes))).toEqual(['GatewayClass inference-gateway']);
});
