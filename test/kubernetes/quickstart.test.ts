import { join } from 'node:path';
import type { V1ConfigMap } from '@kubernetes/client-node';
import OpenAI from 'openai';
import { Agent, fetch } from 'undici';
import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { gatewayConfig } from './support/gateway-config';
import { SYSTEM_NAMESPACE } from './support/install-gateway';

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
