import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, CONFIGS, GATEWAYS, INSTALLATION, ROUTES, SERVICES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig } from './support/objects';

const SECRETS = resourceOf('v1', 'Secret');
const ARN = 'arn:aws:acm:us-west-2:111122223333:certificate/imported';
const ENVOY = {
  name: 'gw-envoy',
  namespace: INSTALLATION.envoyNamespace,
  labels: {
    'gateway.envoyproxy.io/owning-gateway-name': 'gw',
    'gateway.envoyproxy.io/owning-gateway-namespace': INSTALLATION.systemNamespace,
  },
};

let bench: Bench;

beforeEach(async () => {
  bench = new Bench();
  bench.put(gatewayConfig());
  bench.start();
  await bench.settle();
});

afterEach(() => bench.close());

const isGone = () => bench.api.cluster.get(CONFIGS, 'gw', 'team') === undefined;
const deletions = () => bench.api.writes.filter((write) => write.startsWith('delete'));

test('everything goes, the entrances first, and the config last', async () => {
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');

  await bench.settle();

  expect(isGone()).toBe(true);
  expect(bench.made()).toEqual([expect.objectContaining({ kind: 'GatewayClass' })]);
  const kinds = deletions().map((write) => write.split(' ')[1]);
  expect(kinds.lastIndexOf('Gateway')).toBeLessThan(kinds.indexOf('Service'));
  expect(kinds.lastIndexOf('HTTPRoute')).toBeLessThan(kinds.indexOf('Gateway'));
});

test('nothing but the entrances goes while the load balancer is there, and it is said what is waited for', async () => {
  const finalizers = ['service.k8s.aws/resources'];
  bench.put({ apiVersion: 'v1', kind: 'Service', metadata: { ...ENVOY, finalizers } });
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');

  await bench.settle(600_000);

  expect(isGone()).toBe(false);
  expect(bench.api.cluster.get(GATEWAYS, 'gw', INSTALLATION.systemNamespace)).toBeUndefined();
  expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeUndefined();
  expect(bench.api.cluster.get(SERVICES, 'llama-epp', 'team')).toBeDefined();
  expect(bench.condition('Ready')).toMatchObject({ status: 'False', reason: 'DeletingLoadBalancer' });
  expect(bench.condition('Ready')?.message).toContain('Service inference-system/gw-envoy');
  expect(bench.condition('Ready')?.message).toContain('service.k8s.aws/resources');
  expect(bench.eventReasons()).toContain('DeletingLoadBalancer');

  bench.edit(bench.api.cluster.get(SERVICES, 'gw-envoy', ENVOY.namespace)!, ({ metadata }) => {
    Object.assign(metadata as object, { finalizers: [] });
  });
  await bench.settle(10_000);
  expect(isGone()).toBe(true);
});

test('what Envoy Gateway leaves behind when it does not run goes too', async () => {
  bench.put({ apiVersion: 'v1', kind: 'Service', metadata: ENVOY });
  bench.put({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: ENVOY });
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');

  await bench.settle(10_000);

  expect(isGone()).toBe(true);
  expect(bench.api.cluster.list(SERVICES, ENVOY.namespace)).toEqual([]);
  expect(bench.api.cluster.list(resourceOf('apps/v1', 'Deployment'), ENVOY.namespace)).toEqual([]);
});

test('an Ingress that its controller still cleans up is waited for', async () => {
  const config = gatewayConfig();
  bench.put({ ...config, spec: { ...config.spec, endpoint: { type: 'alb' } } } as never);
  await bench.settle();
  const ingress = bench.api.cluster.list(resourceOf('networking.k8s.io/v1', 'Ingress')).at(0)!;
  bench.edit(ingress, ({ metadata }) =>
    Object.assign(metadata as object, { finalizers: ['ingress.k8s.aws/resources'] }),
  );
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');
  await bench.settle(60_000);
  expect(isGone()).toBe(false);

  bench.edit(ingress, ({ metadata }) => Object.assign(metadata as object, { finalizers: [] }));
  await bench.settle(10_000);
  expect(isGone()).toBe(true);
});

describe('an imported certificate', () => {
  beforeEach(async () => {
    bench.clientCertificate = { issued: { acmArn: ARN } };
    await bench.settle(310_000);
    expect(bench.config().status).toMatchObject({ tls: { acmArn: ARN } });
  });

  test('is deleted after the load balancer, and tried again while it is in use', async () => {
    bench.certificateInUse = 'it is in use by a load balancer';
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');
    await bench.settle(60_000);
    expect(isGone()).toBe(false);
    expect(bench.condition('Ready')).toMatchObject({ reason: 'DeletingCertificate' });
    expect(bench.condition('Ready')?.message).toContain('it is in use by a load balancer');

    bench.certificateInUse = undefined;
    await bench.settle(10_000);
    expect(isGone()).toBe(true);
    expect(bench.deletedCertificates).toEqual([ARN]);
  });

  test('that was taken away is no longer in the status, from which its name is read', async () => {
    bench.clientCertificate = { issued: { acmArn: ARN, dnsNames: ['lb.example'] } };
    bench.importCertificate = async () => ({ problems: [], deletedArn: ARN });
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { tls: { dnsNames: ['lb.example'] } }));
    await bench.settle();
    expect(bench.config().status).toMatchObject({ tls: { dnsNames: ['lb.example'] } });
    expect(bench.config().status).not.toHaveProperty('tls.acmArn');

    bench.clientCertificate = { issued: { acmArn: ARN } };
    await bench.settle(310_000);
    expect(bench.config().status).not.toHaveProperty('tls');
  });

  test('that is to stay is left where it is', async () => {
    const annotations = { 'inference.sagemaker.aws.amazon.com/keep-imported-certificate': 'true' };
    bench.edit(bench.config(), ({ metadata }) => Object.assign(metadata as object, { annotations }));
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');
    await bench.settle(10_000);
    expect(isGone()).toBe(true);
    expect(bench.deletedCertificates).toEqual([]);
  });

  test("is not one that the config's author has named", async () => {
    bench.clientCertificate = {};
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { tls: { acmArn: ARN } }));
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');

    await bench.settle(10_000);

    expect(isGone()).toBe(true);
    expect(bench.deletedCertificates).toEqual([]);
  });

  test('of a config that is not valid any more is known from its record, where the status names none', async () => {
    bench.clientCertificate = {};
    await bench.settle(310_000);
    await bench.recordImport(bench.config(), ARN);
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers: [] }));
    await bench.settle();
    expect(bench.config().status).not.toHaveProperty('tls');
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');

    await bench.settle(10_000);

    expect(isGone()).toBe(true);
    expect(bench.deletedCertificates).toEqual([ARN]);
  });

  test('of a config that is not valid any more is known from its status', async () => {
    bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, { schedulers: [] }));
    await bench.settle();
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');

    await bench.settle(10_000);

    expect(isGone()).toBe(true);
    expect(bench.deletedCertificates).toEqual([ARN]);
  });
});

describe('a certificate that was imported, and not recorded any more', () => {
  const edit = (change: object) => bench.edit(bench.config(), ({ spec }) => Object.assign(spec as object, change));
  let searches: number;

  beforeEach(async () => {
    searches = 0;
    bench.findCertificate = async () => {
      searches += 1;
      return ARN;
    };
    edit({ endpoint: { type: 'nlb' } });
    await bench.settle();
  });

  async function remove() {
    bench.api.cluster.delete(CONFIGS, 'gw', 'team');
    await bench.settle(30_000);
    expect(isGone()).toBe(true);
  }

  test('is looked for in the store, and deleted', async () => {
    await remove();
    expect(bench.deletedCertificates).toEqual([ARN]);
  });

  test('also where the config is not valid any more', async () => {
    edit({ schedulers: [] });
    await remove();
    expect(bench.deletedCertificates).toEqual([ARN]);
  });

  test.each([
    ['none is needed', () => edit({ endpoint: { type: 'clusterIP' } })],
    ['its author has named another', () => edit({ tls: { acmArn: `${ARN}-other` } })],
    [
      'it is to stay',
      () =>
        bench.edit(bench.config(), ({ metadata }) =>
          Object.assign(metadata as object, {
            annotations: { 'inference.sagemaker.aws.amazon.com/keep-imported-certificate': 'true' },
          }),
        ),
    ],
  ])('is not looked for where %s', async (_why, change) => {
    change();
    await bench.settle();
    await remove();
    expect(searches).toBe(0);
    expect(bench.deletedCertificates).toEqual([]);
  });

  test('holds nothing up where the store cannot be asked, which is said', async () => {
    bench.findCertificate = async () => {
      throw new Error('ACM did not answer');
    };
    const { uid } = bench.config().metadata;
    await remove();
    expect(bench.eventReasons()).toContain('CertificateNotLookedFor');
    expect(bench.warnings).toEqual([
      expect.stringMatching(new RegExp(`ACM did not answer; look in ACM for .*/uid=${uid}, and delete it`)),
    ]);
  });
});

test('what cert-manager leaves behind of the gateway goes too, after its Certificate', async () => {
  const annotations = { 'cert-manager.io/certificate-name': 'gw-tls' };
  const labels = bench.api.cluster.get(GATEWAYS, 'gw', INSTALLATION.systemNamespace)!.metadata.labels!;
  const place = { name: 'gw-tls', namespace: INSTALLATION.systemNamespace, labels };
  bench.put({ apiVersion: 'v1', kind: 'Secret', metadata: { ...place, annotations } });
  bench.put({ apiVersion: 'v1', kind: 'Secret', metadata: { ...place, name: 'mine' } });
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');

  await bench.settle(10_000);

  expect(bench.api.cluster.list(SECRETS).map(({ metadata }) => metadata.name)).toEqual(['mine']);
  const order = deletions();
  expect(order.indexOf('delete Certificate inference-system/gw-tls')).toBeLessThan(
    order.indexOf('delete Secret inference-system/gw-tls'),
  );
});

test('an API server that fails in the middle only delays it', async () => {
  let calls = 0;
  bench.api.mishap = () => {
    calls += 1;
    return calls % 41 === 0 ? { when: 'after', error: refused(500, 'InternalError', 'lost') } : undefined;
  };
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');

  await bench.settle(600_000);

  expect(isGone()).toBe(true);
  expect(bench.made().filter(({ kind }) => kind !== 'GatewayClass')).toEqual([]);
});

test('the finalizer goes also where somebody else has written it', async () => {
  bench.edit(bench.config(), ({ metadata }) => {
    const fields = (metadata as { managedFields: Array<{ manager: string }> }).managedFields;
    fields.push({ ...fields.find(({ manager }) => manager.endsWith('-finalizer'))!, manager: 'velero' });
  });
  bench.api.cluster.delete(CONFIGS, 'gw', 'team');

  await bench.settle(10_000);

  expect(isGone()).toBe(true);
});

test('a namesake that never had the name takes nothing of the one that has it along', async () => {
  const namesake = gatewayConfig([], {
    namespace: 'other',
    finalizers: ['inference.sagemaker.aws.amazon.com/gateway'],
  });
  bench.put({ apiVersion: 'v1', kind: 'Service', metadata: ENVOY });
  bench.put(namesake);
  await bench.settle();

  bench.api.cluster.delete(CONFIGS, 'gw', 'other');
  await bench.settle(10_000);

  expect(bench.api.cluster.get(CONFIGS, 'gw', 'other')).toBeUndefined();
  expect(bench.api.cluster.get(SERVICES, 'gw-envoy', ENVOY.namespace)).toBeDefined();
});
