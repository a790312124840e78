import { join } from 'node:path';
import type { V1ConfigMap, V1NetworkPolicy, V1Pod } from '@kubernetes/client-node';
import OpenAI from 'openai';
import { Agent, fetch } from 'undici';
import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { gatewayConfig } from './support/gateway-config';
import { SYSTEM_NAMESPACE } from './support/install-gateway';
import { isAllowed } from './support/net/allowed-by-policies';
import { podConnections } from './support/net/pod-connections';

const QUICKSTART = join(__dirname, '..', '..', 'examples', 'kubernetes', 'quickstart.yaml');
const ENDPOINT = `https://quickstart-envoy.${SYSTEM_NAMESPACE}.svc`;

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startClusterWithGateway();
}, 300_000);
afterAll(() => cluster?.close());

/** The official client, which trusts the gateway's own authority. */
async function client(): Promise<OpenAI> {
  const { data } = await cluster.client.get<V1ConfigMap>('/api/v1/namespaces/models/configmaps/quickstart-ca');
  const dispatcher = new Agent({ connect: { ca: data!['ca.crt']! } });
  return new OpenAI({
    baseURL: `${ENDPOINT}/v1`,
    apiKey: 'none',
    maxRetries: 0,
    fetch: ((url: string, init: object) => fetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch,
  });
}

test('the quickstart becomes a gateway that answers over HTTPS', async () => {
  await cluster.kubectl(['apply', '-f', QUICKSTART]);
  await gatewayConfig(cluster, 'models', 'quickstart').untilCondition('Ready', 'True', 180_000);
  const openai = await client();
  const models = await openai.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(['llama-3.1-8b', 'sql-helper']);

  const answer = await openai.chat.completions.create({
    model: 'llama-3.1-8b',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 5,
  });
  expect(answer.choices[0]!.message.content).not.toBe('');

  const stream = await openai.chat.completions.create({
    model: 'sql-helper',
    messages: [{ role: 'user', content: 'hello' }],
    max_tokens: 5,
    stream: true,
  });
  let chunks = 0;
  for await (const _ of stream) chunks += 1;
  expect(chunks).toBeGreaterThan(4);

  await expect(
    openai.chat.completions.create({ model: 'unknown', messages: [{ role: 'user', content: 'hello' }] }),
  ).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
}, 240_000);

/** `router` of `quickstart-bbr-7d9c…`. */
const partOf = ({ metadata }: V1Pod) =>
  metadata?.labels?.['app.kubernetes.io/component'] ??
  metadata?.labels?.['app.kubernetes.io/name'] ??
  metadata?.labels?.app;

test('the network policies let through all that the product does, and keep strangers from its pods', async () => {
  const openai = await client();
  const messages = [{ role: 'user' as const, content: 'hello' }];
  for (let index = 0; index < 10; index++) {
    await openai.chat.completions.create({ model: 'llama-3.1-8b', messages, max_tokens: 5 });
  }
  const { items: policies } = await cluster.client.get<{ items: V1NetworkPolicy[] }>(
    '/apis/networking.k8s.io/v1/networkpolicies',
  );

  const flow = ({ from, to, port }: { from: V1Pod; to: V1Pod; port: number }) =>
    `${partOf(from)} -> ${partOf(to)} ${port}`;
  const connections = await podConnections(cluster);
  expect(connections.filter(({ from, to, port }) => !isAllowed(policies, from, to, port)).map(flow)).toEqual([]);
  // Envoy Gateway connects to the controller for as long as it has something to ask.
  const [envoyGateway, controller] = ['envoy-gateway', 'controller'].map(
    (part) => cluster.pods.list().find((pod) => partOf(pod) === part)!,
  );
  expect(isAllowed(policies, envoyGateway!, controller!, 9006)).toBe(true);
  const lasting = connections.map(flow).filter((one) => one !== 'envoy-gateway -> controller 9006');
  expect([...new Set(lasting)].sort()).toEqual([
    'picker -> llama 8000',
    'proxy -> envoy-gateway 18000',
    'proxy -> llama 8000',
    'proxy -> router 9004',
    'router -> picker 9005',
  ]);

  const stranger: V1Pod = { metadata: { name: 'stranger', namespace: 'models', labels: { app: 'stranger' } } };
  const open = connections
    .filter(({ to, port }) => isAllowed(policies, stranger, to, port))
    .map(({ to, port }) => `${partOf(to)} ${port}`);
  // Model pods have no policy of ours.
  expect(new Set(open)).toEqual(new Set(['llama 8000']));
  const envoy = connections.find(({ from }) => partOf(from) === 'proxy')!.from;
  expect(isAllowed(policies, stranger, envoy, 10_443)).toBe(true);
});
