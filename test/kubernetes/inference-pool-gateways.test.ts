import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './support/cluster';
import { startClusterWithGateway } from './support/cluster-with-gateway';
import { SYSTEM_NAMESPACE } from './support/install-gateway';
import { type Asked, ask as askBy, type HttpVersion, select, tell } from './support/pools/gateways-client';
import { startIpv6Pod } from './support/pools/gateways-ipv6';
import {
  gatewayOf,
  mergedClass,
  poolRef,
  routeOf,
  toldPickerImage,
  toldPool,
  vainRoutes,
} from './support/pools/gateways-objects';
import { addressOf, plainGateway, poolRoute } from './support/pools/plain-gateway';
import { pickerName, pickerRights, poolImages, poolObjects } from './support/pools/pool-objects';
import { selfSigned } from './support/self-signed';

/* Pools behind Gateways of every kind, several at once. */

let cluster: Cluster;
let ca: string;

const NAMESPACE = 'models';
const CONTROLLER = 'hyperpod-inference-gateway-controller';
const named = <Name extends string>(name: Name) => ({ name, namespace: 'theirs' });
const [secure, plain, left, right] = [named('secure'), named('plain'), named('left'), named('right')];
type Gateway = ReturnType<typeof named<string>>;

const alpha = { name: 'alpha', namespace: NAMESPACE, failureMode: 'FailClose' } as const;
const alone = { name: 'alone', namespace: NAMESPACE, failureMode: 'FailOpen', pickers: 0 } as const;
const told = { name: 'told', namespace: NAMESPACE, failureMode: 'FailOpen' } as const;
const collected = {
  name: 'collected',
  namespace: NAMESPACE,
  failureMode: 'FailOpen',
  annotations: { 'inference.sagemaker.aws.amazon.com/picker-body-mode': 'Buffered' },
} as const;

/** Of `secure`, by its listeners. */
const HOSTS = ['https://secure.test', 'https://other.test', 'http://plain.test'];
const urls = { secure: HOSTS[2]!, plain: '', left: '', right: '' };

const lead = (gateway: Gateway, path: string, pool: string) =>
  poolRoute(`${gateway.name}-${path}`, NAMESPACE, gateway, [{ pool }], `/${path}`);
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'service', namespace: NAMESPACE },
  spec: { selector: { app: 'alpha' }, ports: [{ port: 80, targetPort: 3000 }] },
};
/** For what the pickers of told pools set, where it is obeyed. */
const otherWay = routeOf('HTTPRoute', { name: 'other-way', namespace: NAMESPACE }, plain, {
  matches: [told, collected].map(({ name }) => ({
    path: { type: 'PathPrefix', value: `/${name}` },
    headers: [{ name: 'x-way', value: 'other' }],
  })),
  backendRefs: [poolRef('alpha')],
});

async function certificateOf(name: string) {
  const { certificate, key } = await selfSigned(`/run/gateways-${name}`, [`${name}.test`]);
  const stringData = { 'tls.crt': certificate, 'tls.key': key };
  return { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: named(name), stringData };
}

beforeAll(async () => {
  cluster = await startClusterWithGateway({ images: { ...(await poolImages()), ...(await toldPickerImage()) } });
  // Envoy Gateway keeps HTTP/2 from listeners of a port whose certificates are for the same names.
  const certificates = await Promise.all(['secure', 'other'].map(certificateOf));
  ca = certificates.map(({ stringData }) => stringData['tls.crt']).join('');
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'theirs' } },
    ...certificates,
    ...mergedClass('merged', 'theirs'),
    gatewayOf(
      secure,
      'inference-gateway',
      { name: 'secure', port: 443, hostname: 'secure.test', certificate: 'secure' },
      { name: 'other', port: 443, hostname: 'other.test', certificate: 'other' },
      { name: 'plain', port: 80, hostname: 'plain.test' },
    ),
    plainGateway(plain.name, plain.namespace),
    gatewayOf(left, 'merged', { name: 'http', port: 8081 }),
    gatewayOf(right, 'merged', { name: 'http', port: 8082 }),
    ...pickerRights(NAMESPACE),
    ...[alpha, alone].flatMap(poolObjects),
    ...[told, collected].flatMap(toldPool),
    service,
    ...[secure, plain, left, right].map((gateway) => lead(gateway, 'alpha', 'alpha')),
    lead(secure, 'alone', 'alone'),
    ...[told, collected].map(({ name }) => lead(plain, name, name)),
    poolRoute('plain-service', NAMESPACE, plain, [{ service: 'service', port: 80 }], '/service'),
    otherWay,
  ]);
  const address = new URL(await addressOf(cluster, secure.name, secure.namespace)).hostname;
  for (const host of HOSTS) cluster.hosts.set(new URL(host).hostname, address);
  urls.plain = await addressOf(cluster, plain.name, plain.namespace);
  urls.left = `${await addressOf(cluster, left.name, left.namespace)}:8081`;
  urls.right = `${await addressOf(cluster, right.name, right.namespace)}:8082`;
  for (const { name } of [alpha, alone, told, collected]) await cluster.rolledOut(NAMESPACE, name);
  for (const pool of [alpha, told, collected]) await cluster.rolledOut(NAMESPACE, pickerName(pool));
  for (const url of [...HOSTS, urls.plain, urls.left, urls.right]) await untilPicked(`${url}/alpha`);
}, 300_000);
afterAll(() => cluster?.close());

const ask = (url: string, asked?: Asked) => askBy(url, ca, asked);
const untilPicked = (url: string, timeout = 30_000) =>
  cluster.until(`a pick at ${url}`, async () => (await ask(url)).served !== undefined, { timeout, every: 50 });

/** Of which no client is obeyed. */
const FORGED = [
  'x-gateway-destination-endpoint',
  'X-Gateway-Destination-Endpoint-Subset',
  'x-gateway-destination-endpoint-served',
  'x-prefiller-host-port',
];

const podsOf = (namespace: string, label: string, value: string) =>
  cluster.pods.list().filter(({ metadata }) => metadata?.namespace === namespace && metadata.labels?.[label] === value);
const envoysOf = ({ name }: Gateway) => podsOf(SYSTEM_NAMESPACE, 'gateway.envoyproxy.io/owning-gateway-name', name);
const endpointsOf = ({ name }: { readonly name: string }) =>
  podsOf(NAMESPACE, 'app', name).map(({ metadata, status }) => ({
    pod: metadata!.name!,
    endpoint: `${status!.podIP}:3000`,
  }));

/** A Gateway leads to the pods that the picker names, and knows who served. */
async function expectPicked(url: string, version: HttpVersion = '1.1'): Promise<void> {
  for (const { pod, endpoint } of endpointsOf(alpha)) {
    for (let sent = 0; sent < 4; sent += 1) {
      const { status, served, echo, version: by } = await ask(`${url}/alpha`, { headers: select(endpoint), version });
      expect([status, status === 200 && echo().pod, served, by]).toEqual([200, pod, endpoint, version]);
    }
  }
}

const versions = [...HOSTS.map((url) => [url, '1.1'] as const), [HOSTS[0]!, '2'], [HOSTS[1]!, '2']] as const;

test.each(versions)('at %s, by HTTP/%s, the picker says where a request goes', expectPicked);

test.each(versions)('at %s, by HTTP/%s, no client says where a request goes', async (url, version) => {
  const [first] = endpointsOf(alone);
  const forged = Object.fromEntries(FORGED.map((name) => [name, first!.endpoint]));
  const seen = new Set<string>();
  for (let sent = 0; sent < 20; sent += 1) {
    const { version: by, echo } = await ask(`${url}/alone`, { headers: forged, version });
    const { pod, headers } = echo();
    seen.add(pod);
    expect(by).toBe(version);
    expect(FORGED.filter((name) => headers[name.toLowerCase()] !== undefined)).toEqual([]);
  }
  expect(seen.size).toBe(2);
});

test('Gateways that are merged lead to a pool, each at its port', async () => {
  await expectPicked(urls.left);
  await expectPicked(urls.right);
  expect(new URL(urls.left).hostname).toBe(new URL(urls.right).hostname);
  expect(podsOf(SYSTEM_NAMESPACE, 'gateway.envoyproxy.io/owning-gatewayclass', 'merged')).toHaveLength(1);
});

test('the status of a pool tells of every Gateway that leads there', async () => {
  const template = '{.status.parents[*].parentRef.name}';
  const names = await cluster.kubectl(['-n', NAMESPACE, 'get', 'inferencepool', 'alpha', '-o', `jsonpath=${template}`]);
  expect(names.split(' ').sort()).toEqual(['left', 'plain', 'right', 'secure']);
});

test.each([
  ['their own Gateway', secure, secure],
  ['another Gateway', secure, plain],
  ['a Gateway that is merged with theirs', left, right],
] as const)(
  'routes that cannot lead to the pools that they name hold up no change of %s',
  async (_, theirs, gateway) => {
    const url = urls[gateway.name];
    await cluster.apply(vainRoutes(NAMESPACE, theirs));
    const grpc = (method: string) =>
      ask(`${urls[theirs.name]}/test.Test/${method}`, { headers: { 'content-type': 'application/grpc' } });
    for (const method of ['One', 'Two', 'Beside', 'Lost']) {
      await cluster.until(`a refusal of ${method}`, async () => (await grpc(method)).headers['grpc-status'] === '14');
    }
    for (const path of ['missing', 'mirrored', 'weightless']) {
      await cluster.until(
        `a refusal of ${path}`,
        async () => (await ask(`${urls[theirs.name]}/${path}`)).status === 500,
      );
    }
    await cluster.apply(lead(gateway, 'changing', 'alpha'));
    await untilPicked(`${url}/changing`);
    await cluster.apply(lead(gateway, 'changing', 'alone'));
    await cluster.until('the other pool', async () => (await ask(`${url}/changing`)).echo().pod.startsWith('alone-'));
    await expectPicked(url);
  },
);

test('a picker leads to no other route, and to no pod of another pool', async () => {
  const obeyed = await ask(`${urls.plain}/told`, { headers: { 'x-way': 'other' } });
  expect(obeyed.echo().pod).toMatch(/^alpha-/);
  const of = (pool: string, on: 'headers' | 'body', set: Readonly<Record<string, string>>) =>
    ask(`${urls.plain}/${pool}`, { headers: tell({ on, set }) });
  const [elsewhere] = endpointsOf(alpha);
  for (const [pool, on] of [
    ['told', 'headers'],
    ['collected', 'headers'],
    ['collected', 'body'],
  ] as const) {
    const other = (await of(pool, on, { 'x-way': 'other' })).echo();
    expect([other.pod.split('-')[0], other.headers['x-way']]).toEqual([pool, 'other']);
    const rewritten = (await of(pool, on, { ':path': '/alpha' })).echo();
    expect([rewritten.pod.split('-')[0], rewritten.path]).toEqual([pool, '/alpha']);
    const foreign = (await of(pool, on, { 'x-gateway-destination-endpoint': elsewhere!.endpoint })).echo();
    expect(foreign.pod.split('-')[0]).toBe(pool);
  }
});

test('pods may have IPv6 addresses', async () => {
  const [envoy] = envoysOf(plain);
  const six = await startIpv6Pod(cluster, { name: 'six', namespace: NAMESPACE, app: 'told' }, envoy!.status!.podIP!);
  const pick = async (endpoint: string) => {
    const set = { 'x-gateway-destination-endpoint': endpoint };
    return (await ask(`${urls.plain}/told`, { headers: tell({ on: 'headers', set }) })).echo().pod;
  };
  await cluster.until('the pod', async () => (await pick(six.endpoint)) === 'six');
  for (let sent = 0; sent < 10; sent += 1) expect(await pick(six.endpoint)).toBe('six');
  for (const { pod, endpoint } of endpointsOf(told).slice(0, 2)) expect(await pick(endpoint)).toBe(pod);
  await six.close();
  await cluster.until('that it is gone', async () => (await pick(six.endpoint)) !== 'six');
});

test('an Envoy that starts while there is no controller waits for one, and the one that it replaces goes on', async () => {
  const scale = (replicas: number) =>
    cluster.kubectl(['-n', SYSTEM_NAMESPACE, 'scale', 'deployment', CONTROLLER, `--replicas=${replicas}`]);
  const [old] = envoysOf(plain);
  const deployment = old!.metadata!.name!.split('-').slice(0, -2).join('-');
  await scale(0);
  const component = 'app.kubernetes.io/component';
  await cluster.until('no controller', () => podsOf(SYSTEM_NAMESPACE, component, 'controller').length === 0);
  await cluster.kubectl(['-n', SYSTEM_NAMESPACE, 'rollout', 'restart', `deployment/${deployment}`]);
  await cluster.until('a new Envoy', () => envoysOf(plain).length === 2);
  for (let second = 0; second < 15; second += 1) {
    for (const url of [urls.secure, urls.plain, urls.left]) await expectPicked(url);
    await sleep(1_000);
  }
  expect(envoysOf(plain).map(({ metadata }) => metadata!.uid)).toContain(old!.metadata!.uid);
  await scale(2);
  await cluster.rolledOut(SYSTEM_NAMESPACE, CONTROLLER, 60_000);
  const from = performance.now();
  await cluster.until('that the old one is gone', () =>
    envoysOf(plain).every(({ metadata }) => metadata!.uid !== old!.metadata!.uid),
  );
  await untilPicked(`${urls.plain}/alpha`);
  await cluster.until('told', async () => (await ask(`${urls.plain}/told`)).status === 200);
  expect(performance.now() - from).toBeLessThan(15_000);
}, 180_000);
