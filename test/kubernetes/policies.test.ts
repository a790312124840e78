import { readFileSync } from 'node:fs';
import type {
  V1ConfigMap,
  V1EndpointSlice,
  V1Pod,
  V1PodDisruptionBudget,
  V1Secret,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import { authorityIn } from '../../runtime/controller/certificates/authority-secret';
import { certificateFacts, certificatesIn, isIssuedBy } from '../../runtime/controller/certificates/certificate-facts';
import { heldLeaf } from '../../runtime/controller/certificates/leaf-secret';
import { gatewayParts } from '../e2e/support/kubernetes/gateway-parts';
import { reading } from '../e2e/support/readings';
import { NODE_IP } from './support/addresses';
import { type ChatLoadResult, startChatLoad } from './support/chat-load';
import { type Cluster, startCluster } from './support/cluster';
import { type Answer, type Asked, type GatewayClient, gatewayClient } from './support/gateway-client';
import { gatewayConfig } from './support/gateway-config';
import {
  AUDIENCE,
  authOf,
  config,
  GROUP,
  MIB,
  modelPod,
  NAME,
  NAMESPACE,
  namespaceObject,
  objective,
} from './support/guarded-gateway';
import { installCertManager } from './support/install-cert-manager';
import { installGateway, SYSTEM_NAMESPACE } from './support/install-gateway';
import { standardImages } from './support/standard-images';
import { type Claims, startTokenIssuer, type TokenIssuer } from './support/token-issuer';

/* What the policies of a gateway do, on the real Envoy Gateway and Envoy. */

const HOST = `${NAME}-envoy.${SYSTEM_NAMESPACE}.svc`;
const CHAT = '/v1/chat/completions';
/** Envoys trust whom their image trusts: the test's authority is put in its place. */
const TRUSTED = '/etc/ssl/certs/ca-certificates.crt';
const ISSUER_HOST = 'id.company.example';

let issuer: TokenIssuer;
let cluster: Cluster;
let ca: string;
let client: GatewayClient;
let slow: Promise<Answer[]>;
const gateway = () => gatewayConfig(cluster, NAMESPACE, NAME);

beforeAll(async () => {
  issuer = await startTokenIssuer(ISSUER_HOST);
  const { 'envoyproxy/envoy': envoy, ...images } = await standardImages();
  const files = { ...(envoy as { files: object }).files, [TRUSTED]: issuer.caFile };
  cluster = await startCluster({ images: { ...images, 'envoyproxy/envoy': { ...envoy!, files } as never }, nodes: 2 });
  cluster.hosts.set(ISSUER_HOST, NODE_IP);
  await installCertManager(cluster);
  await installGateway(cluster);
  await cluster.apply([
    namespaceObject,
    modelPod('first', { app: 'llama' }, '--model=llama', '--speed=50'),
    modelPod('second', { app: 'llama-canary', tier: 'chat' }, '--model=llama', '--speed=50'),
    modelPod('batch', { app: 'llama', tier: 'batch' }, '--model=llama', '--speed=50'),
    modelPod('retired', { app: 'llama', retired: 'soon' }, '--model=llama', '--speed=50'),
    modelPod('slow', { app: 'slow' }, '--model=slow', '--profile=llama-8b-a10g', '--speed=0.1'),
  ]);
  await cluster.apply([config, objective]);
  await gateway().untilCondition('Ready', 'True', 180_000);
  const { data } = await cluster.client.get<V1ConfigMap>(`/api/v1/namespaces/${NAMESPACE}/configmaps/${NAME}-ca`);
  ca = data!['ca.crt']!;
  client = gatewayClient(HOST, ca);
  // They go on while others are tested.
  slow = Promise.all(
    [false, true].map((stream) => chat('slow', { body: chatBody('slow', { max_tokens: 75, stream }) })),
  );
}, 300_000);
afterAll(async () => {
  await client?.close();
  await cluster?.close();
  await issuer?.close();
});

const chatBody = (model: string, fields: object = {}) =>
  JSON.stringify({ model, max_tokens: 2, messages: [{ role: 'user', content: 'hello' }], ...fields });
const chat = (model: string, asked: Asked = {}) => client.ask(CHAT, { body: chatBody(model), ...asked });

/** Claims of a token that is let in, and others. */
const good = (more: Claims = {}): Claims => ({ aud: AUDIENCE, groups: ['others', GROUP], ...more });

const errorOf = ({ status, headers, text }: Answer) => ({
  status,
  type: headers['content-type'],
  code: (JSON.parse(text) as { error: { code: string } }).error.code,
});
const refused = (status: number, code: string) => ({ status, type: expect.stringMatching('^application/json'), code });

const podsIn = (namespace: string, labels: Readonly<Record<string, string>>): V1Pod[] =>
  cluster.pods
    .list()
    .filter(
      ({ metadata }) =>
        metadata?.namespace === namespace &&
        metadata.deletionTimestamp === undefined &&
        Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
    );

test('pods of every kind run where only restricted ones are admitted', async () => {
  for (const namespace of [SYSTEM_NAMESPACE, NAMESPACE]) {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'plain', namespace } };
    const plain = { ...pod, spec: { containers: [{ name: 'server', image: 'inference-gateway:test' }] } };
    await expect(cluster.apply(plain)).rejects.toThrow('violates PodSecurity "restricted');
  }
  const running = cluster.pods.list().filter(({ status }) => status?.phase === 'Running');
  const names = (namespace: string) =>
    running
      .filter(({ metadata }) => metadata?.namespace === namespace)
      .flatMap(({ spec }) => spec!.containers.map(({ name }) => name));
  expect([...new Set(names(SYSTEM_NAMESPACE))].sort()).toEqual([
    ...['controller', 'envoy', 'envoy-gateway', 'router', 'shutdown-manager'],
  ]);
  expect(names(NAMESPACE)).toContain('picker');
});

test('Envoys have an autoscaler and a disruption budget, which are about them alone', async () => {
  const { spec } = await cluster.client.get<V2HorizontalPodAutoscaler>(
    `/apis/autoscaling/v2/namespaces/${SYSTEM_NAMESPACE}/horizontalpodautoscalers/${NAME}-envoy`,
  );
  expect(spec).toMatchObject({
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: `${NAME}-envoy` },
    minReplicas: 2,
    maxReplicas: 3,
    metrics: [{ type: 'Resource', resource: { name: 'cpu' } }],
  });
  const path = `/apis/policy/v1/namespaces/${SYSTEM_NAMESPACE}/poddisruptionbudgets/${NAME}-envoy`;
  const budget = await cluster.until('the budget counts two pods', async () => {
    const found = await cluster.client.get<V1PodDisruptionBudget>(path);
    return found.status?.expectedPods === 2 && found.status.currentHealthy === 2 && found;
  });
  expect(budget.status?.disruptionsAllowed).toBe(1);
  const selected = podsIn(SYSTEM_NAMESPACE, budget.spec!.selector!.matchLabels!);
  expect(selected.map(({ spec: pod }) => pod!.containers[0]!.name)).toEqual(['envoy', 'envoy']);
});

describe('pods that are chosen by expressions', () => {
  const addresses = async () => {
    const { items } = await cluster.client.get<{ items: V1EndpointSlice[] }>(
      `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices?labelSelector=kubernetes.io/service-name%3Dllama-pool`,
    );
    return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap((one) => one.addresses)).sort();
  };
  const untilChosen = (...names: string[]) =>
    cluster.until(`the pods ${names}`, async () => {
      const wanted = names.map((name) => cluster.pods.get(`${NAMESPACE}/${name}`)?.status?.podIP).sort();
      const found = await addresses();
      if (`${found}` === `${wanted}`) return true;
      throw new Error(`${found}, not ${wanted}`);
    });
  const served = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => chat('llama')));
    return [...new Set(answers.map(({ headers }) => headers['x-gateway-destination-endpoint-served']))].sort();
  };

  test('are those that all expressions fit, also as labels change', async () => {
    await untilChosen('first', 'second');
    const path = (pod: string) => `/api/v1/namespaces/${NAMESPACE}/pods/${pod}`;
    await cluster.client.merge(path('retired'), { metadata: { labels: { retired: null } } });
    await cluster.client.merge(path('second'), { metadata: { labels: { tier: 'batch' } } });
    await untilChosen('first', 'retired');
    await cluster.until('only those serve', async () => {
      const ips = ['first', 'retired'].map((name) => cluster.pods.get(`${NAMESPACE}/${name}`)?.status?.podIP);
      return `${await served(20)}` === `${ips.map((ip) => `${ip}:8000`).sort()}`;
    });
  });
});

describe('tokens', () => {
  test('once the status says that they are asked for, none gets through without', async () => {
    const open = gatewayClient(HOST, ca, true);
    for (const { ask } of [client, open]) expect((await ask('/v1/models')).status).toBe(200);
    await cluster.client.merge(gateway().path, { spec: { auth: authOf(issuer) } });
    const seen: number[] = [];
    await cluster.until(
      'a hundred requests after it is ready',
      async () => {
        const { metadata, status } = await gateway().read();
        const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
        const isSaid = status?.observedGeneration === metadata.generation && ready;
        const answers = await Promise.all(Array.from({ length: 4 }, () => chat('llama')));
        if (isSaid) seen.push(...answers.map(({ status: code }) => code));
        return seen.length >= 100;
      },
      { timeout: 90_000, every: 20 },
    );
    expect([...new Set(seen)]).toEqual([401]);
    // A connection of before is closed with its next answer.
    await open.ask('/v1/models');
    expect((await open.ask('/v1/models')).status).toBe(401);
    await open.close();
  }, 120_000);

  test('one that holds lets in', async () => {
    const token = issuer.token(good());
    expect((await chat('llama', { token })).status).toBe(200);
    const models = await client.ask('/v1/models', { token });
    expect([models.status, JSON.parse(models.text).data.length]).toEqual([200, 3]);
  });

  test.each<[string, () => string | undefined, number, string]>([
    ['none', () => undefined, 401, 'invalid_token'],
    ['one that is none', () => 'x', 401, 'invalid_token'],
    [
      'one that has ended',
      () => issuer.token(good({ exp: Math.floor(Date.now() / 1_000) - 120 })),
      401,
      'invalid_token',
    ],
    ['one of another issuer', () => issuer.token(good({ iss: 'https://other.example' })), 401, 'invalid_token'],
    ['one that somebody else signed', () => issuer.forged(good()), 401, 'invalid_token'],
    ['one for another audience', () => issuer.token(good({ aud: 'another' })), 403, 'forbidden'],
    ['one without an audience', () => issuer.token(good({ aud: undefined })), 403, 'forbidden'],
    ['one without the required claim', () => issuer.token(good({ groups: undefined })), 403, 'forbidden'],
    ['one with another value of it', () => issuer.token(good({ groups: ['sales'] })), 403, 'forbidden'],
  ])('%s does not', async (_what, token, status, code) => {
    const answer = await chat('llama', { token: token() });
    expect(errorOf(answer)).toEqual(refused(status, code));
    expect(answer.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    expect(answer.headers).toHaveProperty('x-request-id');
  });

  test('health needs none, and nothing else is open', async () => {
    for (const path of ['/health', '/ready', '/readyz', '/healthz', '/health?a=b']) {
      expect([path, (await client.ask(path)).status]).toEqual([path, 200]);
    }
    const never = { 'x-gateway-default-backend': 'never', 'x-gateway-base-model-name': 'llama' };
    const closed: [string, Asked][] = [
      ...['/', '/v1/models', '/version', '/metrics', '/HEALTH', '/health/', '/health/x', '/healthy', '//health'].map(
        (path): [string, Asked] => [path, {}],
      ),
      ['/health/../v1/models', {}],
      ['/health/%2e%2e/v1/models', {}],
      ['/health%2f..%2fv1/models', {}],
      ['/v1/models', { headers: never }],
      [CHAT, { body: chatBody('llama'), headers: never }],
      // What leads to a model asks for a token, whatever its path is.
      ...['/health', '/ready', '/readyz'].map((path): [string, Asked] => [path, { body: chatBody('llama') }]),
    ];
    for (const [path, asked] of closed) {
      const { status } = await client.ask(path, asked);
      expect([path, asked, status]).toEqual([path, asked, 401]);
    }
  });
});

describe('claims', () => {
  const waiting = async (priority: string) => {
    const page = await gatewayParts(cluster, NAME).metrics();
    const labels = { inference_pool: `${NAMESPACE}/held`, priority };
    return reading(page, 'inference_extension_flow_control_queue_size', labels);
  };
  const untilWaiting = (priority: string, count: number) =>
    cluster.until(`${count} wait as ${priority}`, async () => (await waiting(priority)) === count);
  /** What a client would like to be. */
  const forged = (tenant: string) => ({
    'x-gateway-inference-objective': 'interactive',
    'x-llm-d-inference-objective': 'interactive',
    'x-gateway-inference-fairness-id': tenant,
    'x-llm-d-inference-fairness-id': tenant,
  });

  test('say what a request is, and headers of the client do not', async () => {
    const stop = new AbortController();
    const gone: Promise<unknown>[] = [];
    const held = (claims: Claims, tenant: string) => {
      const answer = chat('held', { token: issuer.token(good(claims)), headers: forged(tenant), signal: stop.signal });
      gone.push(answer.catch(() => {}));
      return answer;
    };
    try {
      void held({ org: 'blue', gateway: { objective: 'interactive' } }, 'a');
      await untilWaiting('critical', 1);

      // Two may wait: the third finds no room for its own tenant, and takes that of another.
      void held({ org: 'blue' }, 'b');
      await untilWaiting('standard', 1);
      const second = held({ org: 'blue' }, 'c');
      await untilWaiting('standard', 2);
      expect(errorOf(await held({ org: 'blue' }, 'd'))).toMatchObject({ status: 429, code: 'queue_full' });
      void held({ org: 'green' }, 'b');
      expect(errorOf(await second)).toMatchObject({ status: 429, code: 'queue_full' });
      expect([await waiting('critical'), await waiting('standard')]).toEqual([1, 2]);
    } finally {
      stop.abort();
      await Promise.all(gone);
    }
  });
});

describe('bodies above the limit', () => {
  const tooLarge = chatBody('llama', { pad: 'x'.repeat(MIB) });
  const fits = chatBody('llama', { pad: 'x'.repeat(MIB - 200) });

  const inPieces = (body: string) => Array.from({ length: 32 }, (_, index) => piece(body, index, 32));
  const piece = (body: string, index: number, of: number) =>
    body.slice((index * body.length) / of, ((index + 1) * body.length) / of);

  test.each(['ask', 'askHttp2'] as const)('are refused, with and without a content-length: %s', async (way) => {
    const token = issuer.token(good());
    for (const form of [(body: string) => body, inPieces]) {
      expect((await client[way](CHAT, { token, body: form(fits) })).status).toBe(200);
      expect(errorOf(await client[way](CHAT, { token, body: form(tooLarge) }))).toEqual(refused(413, 'body_too_large'));
    }
  });

  test('cost nobody anything without a token', async () => {
    expect(errorOf(await client.ask(CHAT, { body: tooLarge }))).toEqual(refused(401, 'invalid_token'));
  });
});

test('an answer that takes longer than a time-out of Envoy comes whole', async () => {
  const [whole, streamed] = await slow;
  expect([whole!.status, JSON.parse(whole!.text).usage.completion_tokens]).toEqual([200, 75]);
  expect(streamed!.text).toMatch(/data: \[DONE\]\s+$/);
}, 60_000);

describe('certificates inside', () => {
  const secretPath = (namespace: string, name: string) => `/api/v1/namespaces/${namespace}/secrets/${name}`;
  const AUTHORITY = secretPath(SYSTEM_NAMESPACE, `${NAME}-internal-authority`);
  const LEAVES = [
    secretPath(SYSTEM_NAMESPACE, `${NAME}-envoy-cert`),
    secretPath(SYSTEM_NAMESPACE, `${NAME}-bbr-cert`),
    secretPath(NAMESPACE, `${NAME}-epp-cert`),
  ];
  const secret = async (path: string) => ({ kind: 'Secret', ...(await cluster.client.get<V1Secret>(path)) }) as never;
  const authority = async () => authorityIn(await secret(AUTHORITY))!;
  const isFrom = (certificate: string | undefined, by: string) =>
    isIssuedBy(certificateFacts(certificate)!, certificateFacts(by)!);
  const untilLeaves = (what: string, isSo: (leaf: ReturnType<typeof heldLeaf>) => boolean) =>
    cluster.until(what, async () => (await Promise.all(LEAVES.map(secret))).map(heldLeaf).every(isSo));
  /** As if it had been settled for long: the next step is due. */
  const age = async () => {
    await cluster.until('it is settled', async () => (await authority()).settledAt !== undefined);
    const annotations = { 'inference.sagemaker.aws.amazon.com/settled-at': '2020-01-01T00:00:00Z' };
    await cluster.client.merge(AUTHORITY, { metadata: { annotations } });
  };
  const routers = () => podsIn(SYSTEM_NAMESPACE, { app: `${NAME}-bbr` });
  const holders = () => [...routers(), ...podsIn(NAMESPACE, { 'app.kubernetes.io/component': 'picker' })];
  /** Resolves once all holders have read what is written, besides Envoys, which are told at once. */
  const whenRead = () => {
    const readings = () =>
      holders().map(({ metadata, spec }) => {
        const file = cluster.kubelet.logFile(metadata!.namespace!, metadata!.name!, spec!.containers[0]!.name);
        return readFileSync(file, 'utf8').split('certificates have changed').length;
      });
    const before = readings();
    const haveRead = () => readings().every((count, index) => count > before[index]!);
    return () => cluster.until('all have read', haveRead, { timeout: 60_000 });
  };

  async function replaceAll(): Promise<void> {
    const old = (await authority()).signer.certificate;

    let read = whenRead();
    // Its key is lost: there must be another one.
    await cluster.client.merge(AUTHORITY, { data: { 'tls.key': null } });
    await untilLeaves('two are trusted', ({ trusted }) => certificatesIn(trusted).length === 2);
    await read();
    read = whenRead();
    await age();
    await untilLeaves('all are of the new one', ({ certificate }) => !isFrom(certificate, old));
    await read();
    await age();
    await untilLeaves('the old one is forgotten', ({ trusted }) => certificatesIn(trusted).length === 1);
    expect((await authority()).signer.certificate).not.toBe(old);

    // Connections that are open show nothing: those of routers are made anew.
    const before = routers().map(({ metadata }) => `${SYSTEM_NAMESPACE}/${metadata!.name}`);
    await cluster.kubectl(['-n', SYSTEM_NAMESPACE, 'rollout', 'restart', `deployment/${NAME}-bbr`]);
    await cluster.rolledOut(SYSTEM_NAMESPACE, `${NAME}-bbr`);
    await cluster.until('the routers of before are gone', () => before.every((pod) => !cluster.pods.get(pod)));
  }

  test('are replaced, and so is their authority, and no request is lost', async () => {
    const authorization = `Bearer ${issuer.token(good())}`;
    const load = startChatLoad({
      ...{ url: `https://${HOST}`, ca, model: 'llama', perSecond: 20 },
      headers: { authorization },
    });
    let result: ChatLoadResult | undefined;
    try {
      await replaceAll();
      // Each is decided by a picker: Envoy has reached a router, and the router the picker.
      const headers = { 'x-gateway-explain': '1', authorization };
      const answers = await Promise.all(Array.from({ length: 20 }, () => chat('llama', { headers })));
      expect(answers.filter((answer) => answer.headers['x-gateway-decision'] === undefined)).toEqual([]);
    } finally {
      result = await load.stop();
    }
    expect(result.failures).toEqual([]);
    expect(result.ok).toBe(result.sent);
  }, 180_000);
});
