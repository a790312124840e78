import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, CONFIGS, DEPLOYMENTS, GATEWAYS, INSTALLATION, ROUTES, SERVICES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig, modelPod, schedulerOf } from './support/objects';

const NETWORK_POLICIES = resourceOf('networking.k8s.io/v1', 'NetworkPolicy');
const SECURITY_POLICIES = resourceOf('gateway.envoyproxy.io/v1alpha1', 'SecurityPolicy');

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

/** Writes of the cluster's objects; the lease is renewed all the time. */
const writes = () => bench.api.writes.filter((write) => !write.includes(' Lease '));
const names = (objects: ReadonlyArray<{ kind: string; metadata: { name: string } }>) =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

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
  const before = writes().length;

  await bench.settle(3_600_000);

  expect(writes().slice(before)).toEqual([]);
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

  const order = writes().map((write) => write.split(' ').slice(0, 2).join(' '));
  const routes = order.indexOf('apply HTTPRoute');
  for (const kind of ['Service', 'EndpointSlice', 'Deployment', 'SecurityPolicy', 'BackendTrafficPolicy', 'Gateway']) {
    const last = order.lastIndexOf(`apply ${kind}`);
    if (last >= 0) expect(`${kind} ${last < routes}`).toBe(`${kind} true`);
  }
  expect(routes).toBeGreaterThan(0);
});

test('the finalizer is set before anything is made, and spec is never written', async () => {
  bench.put(gatewayConfig());
  bench.start();

  await bench.settle();

  const own = writes().filter((write) => write.includes('InferenceGatewayConfig') || write.includes('Deployment'));
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
  const before = writes().length;
  bench.edit(bench.config(), ({ spec }) => (spec as { schedulers: unknown[] }).schedulers.pop());

  await bench.settle();

  expect(bench.made().filter(({ metadata }) => metadata.name.startsWith('mistral'))).toEqual([]);
  const deletions = writes()
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
  expect(writes().filter((write) => write.startsWith('delete'))).toEqual([]);
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
    const before = writes().length;
    bench.edit(bench.api.cluster.get(SERVICES, 'llama-epp', 'team')!, ({ spec }) =>
      Object.assign(spec as object, { clusterIP: '10.0.0.9' }),
    );

    await bench.settle(60_000);
    stop();
    await bench.settle(10_000);

    const puts = writes()
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
    expect(names(bench.api.cluster.list(SERVICES, 'other'))).toContain('Service llama-pool');
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

describe("AWS's controller", () => {
  const foreign = { name: 'inference-gateway-controller', namespace: 'hyperpod-inference-system' };

  test('in the cluster: nothing is changed, and Events say why', async () => {
    bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: foreign, spec: {} });
    bench.put(gatewayConfig());
    const controller = bench.start();

    await bench.settle(60_000);

    expect(writes().filter((write) => !write.includes(' Event '))).toEqual([]);
    expect(bench.eventReasons()).toContain('AnotherController');
    expect(bench.setups).toBe(0);
    expect(controller.isReady()).toBe(true);
  });

  test('that comes later stops ours, and ours goes on when it is gone', async () => {
    bench.put(gatewayConfig());
    bench.start();
    await bench.settle();
    bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: foreign, spec: {} });
    await bench.settle();
    const before = writes().filter((write) => !write.includes(' Event ')).length;
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers: [schedulerOf('mistral')] }));
    bench.put(modelPod('llama-0', 'llama', '10.1.0.1'));
    await bench.settle(60_000);
    expect(writes().filter((write) => !write.includes(' Event ')).length).toBe(before);

    bench.api.cluster.delete(DEPLOYMENTS, foreign.name, foreign.namespace);
    await bench.settle();
    expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeDefined();
  });

  test('our own of the same name is none', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'hyperpod-inference-gateway' };
    bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { ...foreign, labels }, spec: {} });
    bench.put(gatewayConfig());
    bench.start();

    await bench.settle();

    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
  });

  test('its GatewayClass is as good a sign', async () => {
    const spec = { controllerName: 'example.com/other' };
    bench.put({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: 'inference-gateway' },
      spec,
    });
    bench.put(gatewayConfig());
    bench.start();

    await bench.settle(60_000);

    expect(writes().filter((write) => !write.includes(' Event '))).toEqual([]);
  });
});

describe('what the API server refuses', () => {
  test('a kind that may not be written: said what to do, and nothing after it', async () => {
    bench.api.mishap = ({ verb, resource }) =>
      verb === 'apply' && resource === NETWORK_POLICIES
        ? { when: 'before', error: refused(403, 'Forbidden', 'networkpolicies is forbidden') }
        : undefined;
    bench.put(gatewayConfig());
    bench.start();

    await bench.settle();

    expect(bench.condition('Ready')).toMatchObject({ status: 'False', reason: 'Forbidden' });
    expect(bench.condition('Ready')?.message).toContain("give the controller's role the right");
    expect(bench.condition('AdmissionBlocked')).toMatchObject({ status: 'True' });
    expect(bench.eventReasons()).toContain('Forbidden');
    expect(bench.api.cluster.list(ROUTES)).toEqual([]);

    bench.api.mishap = () => undefined;
    await bench.settle(70_000);
    expect(bench.condition('AdmissionBlocked')).toMatchObject({ status: 'False' });
    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
  });

  test('an object of one scheduler holds up that scheduler alone', async () => {
    bench.api.mishap = ({ verb, name, resource }) =>
      verb === 'apply' && resource === DEPLOYMENTS && name.startsWith('mistral')
        ? { when: 'before', error: refused(422, 'Invalid', 'spec.template.spec.containers[0].env: Invalid value') }
        : undefined;
    bench.put(gatewayConfig([schedulerOf('llama'), schedulerOf('mistral')]));
    bench.start();

    await bench.settle();

    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
    expect(bench.api.cluster.get(ROUTES, 'mistral', 'team')).toBeUndefined();
    expect(bench.eventReasons()).toContain('Refused');
  });

  test('a policy that is refused keeps the routes away', async () => {
    bench.api.mishap = ({ verb, resource }) =>
      verb === 'apply' && resource === SECURITY_POLICIES
        ? { when: 'before', error: refused(422, 'Invalid', 'no') }
        : undefined;
    const config = gatewayConfig();
    const jwt = {
      provider: {
        name: 'p',
        issuer: 'https://a.example',
        remoteJWKS: { uri: 'https://a.example/jwks' },
        audiences: ['x'],
      },
    };
    bench.put({ ...config, spec: { ...config.spec, auth: { jwt } } } as never);
    bench.start();

    await bench.settle();

    expect(bench.api.cluster.list(ROUTES)).toEqual([]);
    expect(bench.api.cluster.list(GATEWAYS)).toEqual([]);
  });

  test('everything, for a while: it is done when that ends, with growing delays until then', async () => {
    bench.put(gatewayConfig());
    const calls: number[] = [];
    bench.api.mishap = ({ verb }) => {
      if (verb !== 'apply') return undefined;
      calls.push(bench.clock.now());
      return { when: 'before', error: refused(500, 'InternalError', 'etcd is away') };
    };
    bench.start();
    await bench.settle(120_000);
    bench.api.mishap = () => undefined;
    expect(calls.filter((at) => at > 60_000).length).toBeLessThan(10);

    await bench.settle(70_000);

    expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
  });
});

test('a kind that cannot be read: nothing is decided, and it is said', async () => {
  bench.api.mishap = ({ verb, resource }) =>
    verb === 'list' && resource === NETWORK_POLICIES
      ? { when: 'before', error: refused(403, 'Forbidden', 'no') }
      : undefined;
  bench.put(gatewayConfig());
  const controller = bench.start();

  await bench.settle(30_000);

  expect(writes().filter((write) => !write.includes(' Event '))).toEqual([]);
  expect(bench.eventReasons()).toContain('NotSynced');
  expect(controller.isReady()).toBe(false);
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
  expect(names(bench.api.cluster.list(classes))).toEqual(['GatewayClass inference-gateway']);

  bench.api.cluster.delete(classes, 'inference-gateway');
  await bench.settle();
  expect(names(bench.api.cluster.list(classes))).toEqual(['GatewayClass inference-gateway']);
});
