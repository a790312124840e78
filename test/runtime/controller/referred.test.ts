import { Bench, ROUTES } from './support/bench';
import { refused } from './support/memory-api';
import { gatewayConfig, schedulerOf } from './support/objects';

let bench: Bench;

beforeEach(() => {
  bench = new Bench();
});

afterEach(() => bench.close());

const configMap = (name: string, data: Record<string, string>, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'team', labels },
  data,
});

async function reconciles(): Promise<number> {
  const { text } = await running.metricsPage();
  return [...text.matchAll(/reconcile_duration_seconds_count\{[^}]*\} (\d+)/g)].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
}

let running: ReturnType<Bench['start']>;

test('a ConfigMap that a scheduler names is looked at, and each edit of it', async () => {
  bench.put(gatewayConfig([schedulerOf('llama', { configMapRef: { name: 'plugins' } })]));
  bench.start();
  await bench.settle();
  expect(bench.condition('Accepted')?.reason).toBe('PartlyAccepted');

  bench.put(configMap('plugins', { 'default-plugins.yaml': GOOD_PLUGINS }));
  await bench.settle();

  expect(bench.condition('Accepted')?.reason).toBe('Accepted');
});

test('a ConfigMap that nobody names is passed over, however often it is written', async () => {
  bench.put(gatewayConfig());
  running = bench.start();
  await bench.settle();
  const before = await reconciles();

  for (let i = 0; i < 30; i++) {
    bench.put(configMap('election', { leader: String(i) }));
    await bench.settle(200);
  }

  expect((await reconciles()) - before).toBe(0);
});

test('what keeps a config from being looked at to the end is told', async () => {
  bench.readCertificate = () => Promise.reject(refused(403, 'Forbidden', 'secrets "gw-tls" is forbidden'));
  bench.put(gatewayConfig());
  bench.start();

  await bench.settle();

  expect(bench.eventReasons()).toContain('ReconcileFailed');
});

test('certificates that cannot be made are told, and hold nothing else up', async () => {
  bench.ensureCertificates = () =>
    Promise.reject(refused(403, 'Forbidden', 'secrets is forbidden: User "c" cannot create resource "secrets"'));
  bench.put(gatewayConfig());
  bench.start();

  await bench.settle();

  expect(bench.condition('Ready')).toMatchObject({ status: 'False', reason: 'Forbidden' });
  expect(bench.condition('Ready')?.message).toContain('Secret inference-system/');
  expect(bench.api.cluster.get(ROUTES, 'llama', 'team')).toBeDefined();
});

const GOOD_PLUGINS = `
apiVersion: inference.networking.x-k8s.io/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
- type: max-score-picker
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
    weight: 1
  - pluginRef: max-score-picker
`;
