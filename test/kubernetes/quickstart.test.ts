import { join } from 'node:path';
import type { V1ConfigMap } from '@kubernetes/client-node';
import OpenAI from 'openai';
import { Agent, fetch } from 'undici';
import { type Cluster, startCluster } from './support/cluster';
import { installCertManager } from './support/install-cert-manager';
import { installGateway, SYSTEM_NAMESPACE } from './support/install-gateway';
import { standardImages } from './support/standard-images';

const QUICKSTART = join(__dirname, '..', '..', 'examples', 'kubernetes', 'quickstart.yaml');
const ENDPOINT = `https://quickstart-envoy.${SYSTEM_NAMESPACE}.svc`;
const CONFIG = '/apis/inference.sagemaker.aws.amazon.com/v1alpha1/namespaces/models/inferencegatewayconfigs/quickstart';

interface Config {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string; readonly message: string }>;
    readonly schedulers?: ReadonlyArray<{ readonly name: string; readonly rolloutState: string }>;
  };
}

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ images: await standardImages(), nodes: 2 });
  await installCertManager(cluster);
  await installGateway(cluster);
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
  await cluster.until(
    'Ready',
    async () => {
      const { metadata, status } = await cluster.client.get<Config>(CONFIG);
      if (status?.observedGeneration !== metadata.generation) return false;
      const ready = status.conditions?.find(({ type }) => type === 'Ready');
      if (ready?.status !== 'True') throw new Error(JSON.stringify(status.conditions));
      return true;
    },
    { timeout: 180_000, every: 500 },
  );
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
