import { resourceOf } from '../../../runtime/kubernetes/resources';
import { Bench, DEPLOYMENTS, GATEWAYS, ROUTES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig, schedulerOf } from './support/objects';

const NETWORK_POLICIES = resourceOf('networking.k8s.io/v1', 'NetworkPolicy');
const SECURITY_POLICIES = resourceOf('gateway.envoyproxy.io/v1alpha1', 'SecurityPolicy');

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

describe('what the API server refuses', () => {
  test('a kind that may not be written: said what to do, and nothing after it', async () => {
    bench.api.mishap = ({ verb, resource }) =>
      verb === 'apply' && resource === NETWORK_POLICIES
        ? {
            when: 'before',
            error: refused(
              403,
              'Forbidden',
              'networkpolicies is forbidden: User "c" cannot patch resource "networkpolicies"',
            ),
          }
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

  await bench.settle(60_000);

  expect(bench.made()).toEqual([]);
  expect(bench.eventReasons()).toContain('NotSynced');
  expect(bench.condition('Accepted')).toMatchObject({ status: 'False', reason: 'NotSynced' });
  expect(controller.isReady()).toBe(false);
});
