import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoreV1Event, V1ConfigMap, V1Deployment, V2HorizontalPodAutoscaler } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { parse, parseAllDocuments } from 'yaml';
import { installKeda, kedaImage } from './support/autoscaling/install-keda';
import { type AdapterValues, startMetricsAdapter } from './support/autoscaling/metrics-adapter';
import { type Prometheus, startPrometheus } from './support/autoscaling/prometheus';
import { type Cluster, startCluster } from './support/cluster';
import { gatewayConfig } from './support/gateway-config';
import { installCertManager } from './support/install-cert-manager';
import { installGateway, SYSTEM_NAMESPACE } from './support/install-gateway';
import { ROOT, standardImages } from './support/standard-images';

/*
 * The examples of deploy/autoscaling, on the figures of the gateway. KEDA and the autoscaler are the real ones, Prometheus
 * and its adapter stand-ins.
 */

const EXAMPLES = join(ROOT, 'deploy', 'autoscaling');
const DEPLOYMENT = '/apis/apps/v1/namespaces/models/deployments/llama';
const AUTOSCALER = '/apis/autoscaling/v2/namespaces/models/horizontalpodautoscalers/llama';
const EVENTS = '/api/v1/namespaces/models/events';
const MODEL = 'llama-3.1-8b';
const HELD = 'sum(inference_extension_flow_control_queue_size{inference_pool="models/llama"}) or vector(0)';

let cluster: Cluster;
let prometheus: Prometheus;
let agent: Agent;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  cluster = await startCluster({ images: { ...(await standardImages()), ...kedaImage() }, nodes: 2 });
  closers.push(() => cluster.close());
  await installCertManager(cluster);
  await installGateway(cluster);
  await installKeda(cluster);
  await cluster.apply(await sleepingQuickstart());
  await gatewayConfig(cluster, 'models', 'quickstart').untilCondition('BBRReady', 'True', 180_000);
  for (const [namespace, names] of [
    [SYSTEM_NAMESPACE, ['quickstart-bbr', 'quickstart-envoy']],
    ['models', await pickers()],
  ] as const) {
    for (const name of names) await cluster.rolledOut(namespace, name);
  }
  const { data } = await cluster.client.get<V1ConfigMap>('/api/v1/namespaces/models/configmaps/quickstart-ca');
  agent = new Agent({ connect: { ca: data!['ca.crt']! }, headersTimeout: 120_000 });
  closers.push(() => agent.destroy());
  prometheus = await startPrometheus(cluster);
  closers.push(() => prometheus.close());
}, 300_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** The quickstart without a model server, which holds what waits for one. */
async function sleepingQuickstart(): Promise<object[]> {
  const text = await readFile(join(ROOT, 'examples', 'kubernetes', 'quickstart.yaml'), 'utf8');
  return parseAllDocuments(text).map((document) => {
    const object = document.toJS() as { kind: string; spec: Record<string, unknown> & { schedulers: object[] } };
    if (object.kind === 'Deployment') object.spec.replicas = 0;
    if (object.kind === 'InferenceGatewayConfig') {
      object.spec.overload = { emptyPoolHold: '110s' };
      const [llama] = object.spec.schedulers;
      object.spec.schedulers = [{ ...llama, flowControl: { bands: { standard: { ttl: '120s' } } } }];
    }
    return object;
  });
}

async function pickers(): Promise<readonly string[]> {
  const selector = ['-l', 'app.kubernetes.io/component=picker'];
  const names = await cluster.kubectl(['-n', 'models', 'get', 'deployments', '-o', 'name', ...selector]);
  return names
    .trim()
    .split('\n')
    .map((name) => name.replace('deployment.apps/', ''));
}

/** Status and text of an answer. */
async function ask(content: string): Promise<{ readonly status: number; readonly text: string }> {
  const { statusCode, body } = await request(`https://quickstart-envoy.${SYSTEM_NAMESPACE}.svc/v1/chat/completions`, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, max_tokens: 4, messages: [{ role: 'user', content }] }),
  });
  return { status: statusCode, text: await body.text() };
}

const replicas = async () => (await cluster.client.get<V1Deployment>(DEPLOYMENT)).spec?.replicas;

const events = async () => (await cluster.client.get<{ items: CoreV1Event[] }>(EVENTS)).items;

const example = async (name: string) => readFile(join(EXAMPLES, name), 'utf8');

test('a request for a model without pods is held, wakes the first one, and is answered by it', async () => {
  const answer = ask('hello');
  await cluster.until('it is held', () => prometheus.query(HELD) === 1);
  expect(await replicas()).toBe(0);

  // KEDA's waits are minutes.
  const quick = (await example('keda.yaml'))
    .replace('pollingInterval: 5', 'pollingInterval: 1')
    .replace('cooldownPeriod: 600', 'cooldownPeriod: 5')
    .replace('[2m]', '[5s]');
  await cluster.apply(quick);
  await cluster.until('the first pod is asked for', async () => (await replicas()) === 1);
  expect(await answer).toEqual({ status: 200, text: expect.any(String) });
  const [why] = (await events()).filter(({ reason }) => reason === 'KEDAScaleTargetActivated');
  // The first trigger of the example: requests that are held.
  expect(why?.message).toMatch(/from 0 to 1, triggered by s0-prometheus$/);
  await cluster.until('none is held', () => prometheus.query(HELD) === 0);
});

test('the last pod goes when no request has come for a while, and the next request brings it back', async () => {
  await cluster.until('no pod', async () => (await replicas()) === 0, { timeout: 60_000 });
  await cluster.until('none is ready', () =>
    cluster.pods.list().every(({ metadata }) => metadata!.labels?.app !== 'llama'),
  );
  expect(await ask('hello again')).toEqual({ status: 200, text: expect.any(String) });
  expect(await replicas()).toBe(1);
});

test("without KEDA, Kubernetes' own autoscaler adds a pod where requests are held", async () => {
  await cluster.kubectl(['-n', 'models', 'delete', 'scaledobject', 'llama']);
  const values = parse(await example('prometheus-adapter-values.yaml')) as AdapterValues;
  const adapter = await startMetricsAdapter(cluster, prometheus, values);
  closers.push(() => adapter.close());
  await cluster.apply(await example('hpa.yaml'));
  await cluster.rolledOut('models', 'llama');
  await cluster.until(
    'the autoscaler has all its figures',
    async () => {
      const { spec, status } = await cluster.client.get<V2HorizontalPodAutoscaler>(AUTOSCALER);
      const known = (status?.currentMetrics ?? []).flatMap(({ external }) => external?.metric.name ?? []);
      return known.length === spec!.metrics!.length;
    },
    { timeout: 60_000 },
  );
  expect(await replicas()).toBe(1);

  const prompt = 'one two three '.repeat(1_500);
  const answers = Array.from({ length: 40 }, (_, index) => ask(`${index} ${prompt}`));
  await cluster.until('another pod', async () => (await replicas())! > 1, { timeout: 60_000 });
  for (const { status, text } of await Promise.all(answers)) expect({ status, text }).toMatchObject({ status: 200 });
  const [why] = (await events()).filter(({ reason }) => reason === 'SuccessfulRescale');
  expect(why?.message).toContain('external metric models_llama_held_requests(nil) above target');
}, 180_000);
