import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1ConfigMap, V1NetworkPolicy, V1Pod } from '@kubernetes/client-node';
import { parse } from 'yaml';
import { version } from '../../package.json';
import { startChatLoad } from './support/chat-load';
import { type Cluster, startCluster } from './support/cluster';
import { documentedCommands, typed } from './support/documented-commands';
import { gatewayConfig } from './support/gateway-config';
import { installCertManager } from './support/install-cert-manager';
import { SYSTEM_NAMESPACE } from './support/install-gateway';
import { isAllowed } from './support/net/allowed-by-policies';
import { askPool } from './support/pools/ask-pool';
import type { Echo } from './support/pools/echo-server';
import { documentedPools } from './support/pools/install-documented';
import { EARLIER, earlierImage, installEarlier } from './support/pools/install-earlier';
import {
  configureUpstream,
  installUpstream,
  UPSTREAM_NAMESPACE,
  upstreamGateway,
} from './support/pools/install-upstream';
import { addressOf, poolRoute } from './support/pools/plain-gateway';
import { startPoolLoad } from './support/pools/pool-load';
import { pickerName, pickerRights, poolImages, poolObjects } from './support/pools/pool-objects';
import { ROOT, standardImages } from './support/standard-images';

/* InferencePools become backends by what the documentation says, in its own words, and nothing is lost on the way. */

const CONTROLLER = 'hyperpod-inference-gateway-controller';
const SECRET = `/api/v1/namespaces/${SYSTEM_NAMESPACE}/secrets/inference-pools-ca`;
const PER_SECOND = 20;

let cluster: Cluster;
/** Of the Gateway of a describe. */
let url: string;

const ask = (path = '/') => askPool(`${url}${path}`);

describe('with an Envoy Gateway that is there', () => {
  const NAMESPACE = 'web';
  const GATEWAY = { name: 'theirs', namespace: NAMESPACE };
  const alpha = { name: 'alpha', namespace: NAMESPACE } as const;
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'plain', namespace: NAMESPACE },
    spec: { selector: { app: alpha.name }, ports: [{ port: 80, targetPort: 3000 }] },
  };

  beforeAll(async () => {
    cluster = await startCluster({ images: { ...(await standardImages()), ...(await poolImages()) }, nodes: 2 });
    await installUpstream(cluster);
    const [pods] = poolObjects(alpha);
    await cluster.apply([
      ...pickerRights(NAMESPACE),
      pods!,
      service,
      upstreamGateway('theirs', NAMESPACE),
      poolRoute('plain', NAMESPACE, GATEWAY, [{ service: 'plain', port: 80 }], '/plain'),
    ]);
    url = await addressOf(cluster, 'theirs', NAMESPACE);
    await cluster.until('an answer', async () => (await ask('/plain')).status === 200, { timeout: 60_000 });
  }, 300_000);
  afterAll(() => cluster?.close());

  test('a route to a pool is refused when the product is there, and Envoy Gateway knows nothing of it', async () => {
    const [install] = await documentedCommands('docs/install.md', 'Helm');
    const chart = 'charts/inference-gateway ';
    expect(install).toContain(chart);
    const values = `${chart} --values examples/helm/existing-envoy-gateway-values.yaml `;
    await typed(cluster, ROOT, install!.replace(chart, values));
    await cluster.apply([
      ...poolObjects(alpha),
      poolRoute('pool', NAMESPACE, GATEWAY, [{ pool: alpha.name }], '/pool'),
    ]);
    for (const name of [alpha.name, pickerName(alpha)]) await cluster.rolledOut(NAMESPACE, name);
    await cluster.until('a refusal', async () => (await ask('/pool')).status === 500);
    expect((await ask('/plain')).status).toBe(200);
  }, 120_000);

  test('it is picked for once Envoy Gateway is told, and what others ask meanwhile is answered', async () => {
    const { settings, rights } = await documentedPools();
    const load = startPoolLoad({ url: `${url}/plain`, perSecond: PER_SECOND, body: '{}' });
    await sleep(1_000);
    await typed(cluster, ROOT, rights);
    await configureUpstream(cluster, parse(settings) as object);
    await cluster.until('a pick', async () => (await ask('/pool')).isPicked, { timeout: 60_000 });
    await sleep(1_000);
    expect((await load.stop()).filter(({ status }) => status !== 200)).toEqual([]);
    const answers = [];
    for (let sent = 0; sent < 20; sent += 1) answers.push(await ask('/pool'));
    expect(answers.filter(({ status, isPicked }) => status !== 200 || !isPicked)).toEqual([]);
  }, 120_000);

  test('network policies let it and its Envoys ask the controller, and nobody else of their namespace', async () => {
    const path = '/apis/networking.k8s.io/v1/networkpolicies';
    const { items } = await cluster.client.get<{ items: V1NetworkPolicy[] }>(path);
    const pods = cluster.pods.list();
    const controller = pods.find(({ spec }) => spec!.containers[0]!.name === 'controller')!;
    const theirs = pods.filter(({ metadata, status }) => {
      return metadata!.namespace === UPSTREAM_NAMESPACE && status?.phase === 'Running';
    });
    const allowed = (from: V1Pod) => isAllowed(items, from, controller, 9006);
    expect(theirs.map((pod) => [pod.spec!.containers[0]!.name, allowed(pod)]).sort()).toEqual([
      ['envoy', true],
      ['envoy-gateway', true],
    ]);
    expect(allowed({ metadata: { namespace: UPSTREAM_NAMESPACE, labels: { app: 'stranger' } } })).toBe(false);
  });
});

describe('upgraded from a release for which pools were no backends', () => {
  const SHOP = 'shop';
  const POOLS = [
    { name: 'llama', namespace: SHOP, ports: [8000] },
    { name: 'qwen', namespace: SHOP, ports: [8000, 8001], h2c: true },
  ];
  const CONFIG = { namespace: 'models', name: 'quickstart' };
  let ca: string;

  beforeAll(async () => {
    const images = { ...(await standardImages()), ...(await poolImages()), ...(await earlierImage()) };
    cluster = await startCluster({ images, nodes: 2 });
    await Promise.all([installCertManager(cluster), installEarlier(cluster)]);
    for (const name of [CONTROLLER, 'envoy-gateway']) await cluster.rolledOut(SYSTEM_NAMESPACE, name, 120_000);
    await cluster.apply(await readFile(join(ROOT, 'examples', 'kubernetes', 'quickstart.yaml'), 'utf8'));
    await cluster.apply(pickerRights(SHOP));
    for (const options of POOLS) {
      const [pods, , ...picker] = poolObjects(options);
      await cluster.apply([pods!, ...picker]);
    }
    await gatewayConfig(cluster, CONFIG.namespace, CONFIG.name).untilCondition('Ready', 'True', 180_000);
    const { data } = await cluster.client.get<V1ConfigMap>('/api/v1/namespaces/models/configmaps/quickstart-ca');
    ca = data!['ca.crt']!;
  }, 300_000);
  afterAll(() => cluster?.close());

  const earlierPods = () =>
    cluster.pods.list().filter(({ spec }) => spec!.containers.some(({ image }) => image!.endsWith(`:${EARLIER}`)));

  const startLoad = () => {
    const gateway = `https://quickstart-envoy.${SYSTEM_NAMESPACE}.svc`;
    return startChatLoad({ url: gateway, ca, model: 'llama-3.1-8b', perSecond: PER_SECOND });
  };

  test('while the new controller cannot start, gateways go on, and learn of other pods', async () => {
    const text = await readFile(join(ROOT, 'deploy', 'manifests', 'install.yaml'), 'utf8');
    await cluster.apply(text.replaceAll(`inference-gateway:${version}`, 'nothing/here:1'));
    const load = startLoad();
    await sleep(2_000);
    await cluster.kubectl(['-n', CONFIG.namespace, 'rollout', 'restart', 'deployment/llama']);
    await cluster.rolledOut(CONFIG.namespace, 'llama');
    await sleep(3_000);
    const { failures } = await load.stop();
    // Streams break with the pods that they come from.
    expect(failures.filter((failure) => !failure.endsWith('ERR_HTTP2_STREAM_ERROR'))).toEqual([]);
  }, 180_000);

  test('every part is replaced, and no request to a gateway is lost', async () => {
    expect([await cluster.client.find(SECRET), earlierPods().length]).toEqual([undefined, 6]);
    const load = startLoad();
    await sleep(1_000);
    const [apply] = await documentedCommands('docs/install.md', 'kubectl');
    await typed(cluster, ROOT, apply!);
    for (const name of [CONTROLLER, 'envoy-gateway']) await cluster.rolledOut(SYSTEM_NAMESPACE, name, 120_000);
    await cluster.until('no pod of before', () => earlierPods().length === 0, { timeout: 120_000 });
    await sleep(1_000);
    const { sent, ok, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect(ok).toBe(sent);
  }, 300_000);

  test('the example is served by both of its pools, by their weights, protocols and ports', async () => {
    const { example } = await documentedPools();
    await cluster.apply(example);
    url = await addressOf(cluster, 'shop', SHOP);
    for (const options of POOLS) {
      for (const name of [options.name, pickerName(options)]) await cluster.rolledOut(SHOP, name);
    }
    await cluster.until('a pick', async () => (await ask()).isPicked, { timeout: 60_000 });
    const answers = [];
    for (let sent = 0; sent < 200; sent += 1) answers.push(await ask());
    expect(answers.filter(({ status, isPicked }) => status !== 200 || !isPicked)).toEqual([]);
    const echoes = answers.map(({ echo }) => echo());
    const [llama, qwen] = POOLS.map(({ name }) => echoes.filter(({ pod }) => pod.startsWith(`${name}-`)));
    const spoken = (of: readonly Echo[]) => [...new Set(of.map((one) => `${one.httpVersion} ${one.port}`))].sort();
    expect([spoken(llama!), spoken(qwen!)]).toEqual([['1.1 8000'], ['2.0 8000', '2.0 8001']]);
    expect(Math.abs(llama!.length - 140)).toBeLessThan(40);
  }, 120_000);
});
