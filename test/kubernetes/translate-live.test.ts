import { Agent, type Dispatcher, request } from 'undici';
import { type Cluster, startCluster } from './support/cluster';
import { installEnvoyGateway, SYSTEM_NAMESPACE } from './support/install-envoy-gateway';
import { startLoad } from './support/load';
import { standardImages } from './support/standard-images';
import { applyTranslated, type TranslatedGateway } from './support/translated-gateway';

const NAMESPACE = 'models';
const URL = `https://live-envoy.${SYSTEM_NAMESPACE}.svc`;

let cluster: Cluster;
let gateway: TranslatedGateway;
let dispatcher: Agent;

const modelServer = (name: string) => {
  const labels = { app: name };
  const readinessProbe = { httpGet: { path: '/health', port: 8000 }, periodSeconds: 1 };
  const args = ['model-server', '--host=0.0.0.0', `--model=${name}`];
  const container = { name: 'server', image: 'inference-gateway:test', args, readinessProbe };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
};

const scheduler = (name: string, fields: object = {}) => ({
  ...{ name: `serves-${name}`, modelName: name, modelSelector: { matchLabels: { app: name } }, replicas: 1 },
  ...fields,
});

const CONFIG = {
  apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
  kind: 'InferenceGatewayConfig',
  metadata: { name: 'live', namespace: NAMESPACE },
  spec: {
    bbr: { enabled: true, replicas: 2, maxRequestBodyBytes: 1_048_576 },
    tls: {},
    endpoint: { type: 'clusterIP' },
    envoy: { minReplicas: 1, resources: { requests: { cpu: '100m', memory: '256Mi' } } },
    schedulers: [scheduler('llama'), scheduler('qwen', { retry: { attempts: 0 } }), scheduler('nobody')],
  },
};

beforeAll(async () => {
  cluster = await startCluster({ images: await standardImages(), nodes: 2 });
  await installEnvoyGateway(cluster);
  await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await cluster.apply([modelServer('llama'), modelServer('qwen')]);
  for (const name of ['llama', 'qwen']) await cluster.rolledOut(NAMESPACE, name);
  gateway = await applyTranslated(cluster, CONFIG);
  dispatcher = new Agent({ connect: { ca: gateway.ca } });
}, 180_000);
afterAll(async () => {
  await dispatcher?.close();
  await cluster?.close();
});

const post = (body: object | string, headers: Record<string, string> = {}) =>
  answerOf('/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function answerOf(
  path: string,
  options: Omit<Dispatcher.RequestOptions, 'path' | 'method'> & { method?: 'POST' } = {},
) {
  const { statusCode, headers, body } = await request(`${URL}${path}`, { dispatcher, ...options });
  return { statusCode, headers, text: await body.text() };
}

const chat = (model: string, fields: object = {}) => ({
  ...{ model, max_tokens: 3, messages: [{ role: 'user', content: 'hello' }] },
  ...fields,
});

const addressOf = (app: string) =>
  cluster.pods.list().find(({ metadata }) => metadata?.labels?.app === app)?.status?.podIP;

const error = ({ statusCode, headers, text }: Awaited<ReturnType<typeof answerOf>>) => ({
  statusCode,
  type: headers['content-type'],
  code: (JSON.parse(text) as { error: { code: string } }).error.code,
});

test('Envoy Gateway takes everything, and the status says so', async () => {
  const conditions = await cluster.until(
    'the status',
    async () => {
      const status = await gateway.status();
      const found = Object.fromEntries(
        (status.conditions ?? []).map(({ type, status: is, reason }) => [type, `${is} ${reason}`]),
      );
      if (found.GatewayProgrammed?.startsWith('True') && found.BBRReady?.startsWith('True')) return found;
      throw new Error(JSON.stringify(status.conditions, null, 1));
    },
    { timeout: 90_000, every: 500 },
  );
  expect(conditions).toMatchObject({ Accepted: 'True Accepted' });
  const status = await cluster.until('the pickers', async () => {
    const now = await gateway.status();
    return now.schedulers?.every(({ rolloutState }) => rolloutState === 'Available') && now;
  });
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'True', reason: 'SomeSchedulersNotReady' });
  expect(ready?.message).toMatch('scheduler serves-nobody: Its modelSelector selects no pod');
}, 120_000);

test('an edit that Envoy Gateway has not seen is not served, and the status does not say so', async () => {
  const scale = (replicas: number) =>
    cluster.kubectl(['scale', 'deployment/envoy-gateway', '-n', SYSTEM_NAMESPACE, `--replicas=${replicas}`]);
  const programmed = async () => (await gateway.status()).conditions?.find(({ type }) => type === 'GatewayProgrammed');
  await scale(0);
  await cluster.until('no Envoy Gateway', () =>
    cluster.pods.list().every(({ metadata }) => !metadata?.name?.startsWith('envoy-gateway-')),
  );
  const policy = `/apis/gateway.envoyproxy.io/v1alpha1/namespaces/${SYSTEM_NAMESPACE}/clienttrafficpolicies/live`;
  await cluster.client.merge(policy, { spec: { http2: { maxConcurrentStreams: 999 } } });
  expect(await programmed()).toMatchObject({
    ...{ status: 'False', reason: 'Pending' },
    message: expect.stringContaining(`ClientTrafficPolicy ${SYSTEM_NAMESPACE}/live waits for Envoy Gateway`),
  });

  await scale(1);
  await cluster.until('its word', async () => (await programmed())?.status === 'True', { timeout: 60_000 });
}, 120_000);

test('a request goes to a pod of its model, which the answer names', async () => {
  for (const model of ['llama', 'qwen']) {
    const answer = await cluster.until('200', async () => {
      const tried = await post(chat(model));
      return tried.statusCode === 200 && tried;
    });
    expect(answer.headers['x-gateway-destination-endpoint-served']).toBe(`${addressOf(model)}:8000`);
  }
  const stream = await post(chat('qwen', { stream: true }));
  expect(stream.headers['content-type']).toMatch('text/event-stream');
  expect(stream.text).toMatch(/data: \[DONE\]\s+$/);
});

test('whatever Envoy or the router answers is an error of the API', async () => {
  const type = expect.stringMatching('application/json');
  expect(error(await post(chat('unknown')))).toEqual({ statusCode: 404, type, code: 'model_not_found' });
  const tooLarge = await post(JSON.stringify(chat('llama', { pad: 'x'.repeat(2_000_000) })));
  expect(error(tooLarge)).toEqual({ statusCode: 413, type, code: 'body_too_large' });
  expect(tooLarge.headers).toHaveProperty('x-request-id');
  expect(error(await post(chat('nobody')))).toMatchObject({ statusCode: 503, type });
});

test('no client can say where a request goes', async () => {
  const headers = {
    'x-gateway-destination-endpoint': `${addressOf('qwen')}:8000`,
    'x-gateway-base-model-name': 'qwen',
    'x-gateway-default-backend': 'never',
    'x-envoy-upstream-rq-timeout-ms': '1',
  };
  const answer = await post(chat('llama'), headers);
  expect(answer.statusCode).toBe(200);
  expect(answer.headers['x-gateway-destination-endpoint-served']).toBe(`${addressOf('llama')}:8000`);
});

test('a path is taken as it is', async () => {
  const answer = await answerOf('/v1/models/meta%2Fllama');
  expect(error(answer)).toMatchObject({ statusCode: 404 });
  expect((await answerOf('/healthz')).statusCode).toBe(200);
  expect((await answerOf('/readyz')).statusCode).toBe(200);
});

test('a router that dies takes at most what it had in hand', async () => {
  const load = startLoad({ url: `${URL}/v1/models`, perSecond: 50, ca: gateway.ca });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const [router] = cluster.pods.list().filter(({ metadata }) => metadata?.labels?.app === 'live-bbr');
  cluster.kubelet.killContainer(SYSTEM_NAMESPACE, router!.metadata!.name!, 'router', 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  const { sent, ok } = await load.stop();
  expect(sent).toBeGreaterThan(100);
  expect(sent - ok).toBeLessThanOrEqual(2);
});

test('without any router requests get 503 at once, and are routed again when there is one', async () => {
  const scale = (replicas: number) =>
    cluster.kubectl(['scale', 'deployment/live-bbr', '-n', SYSTEM_NAMESPACE, `--replicas=${replicas}`]);
  await scale(0);
  const answer = await cluster.until('an answer of Envoy', async () => {
    const tried = await post(chat('llama'));
    return tried.statusCode === 503 && tried;
  });
  expect(error(answer)).toMatchObject({ code: 'router_unavailable', type: 'application/json' });
  await scale(1);
  await cluster.until('a router', async () => (await post(chat('llama'))).statusCode === 200, { timeout: 60_000 });
}, 120_000);
