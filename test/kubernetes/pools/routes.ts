import { setTimeout as sleep } from 'node:timers/promises';
import { takeCluster } from '../../e2e/support/kubernetes/shared-cluster';
import type { Cluster } from '../support/cluster';
import { askPool } from '../support/pools/ask-pool';
import { addressOf, plainGateway, poolRoute } from '../support/pools/plain-gateway';
import { pickerName, pickerRights, poolObjects } from '../support/pools/pool-objects';

/* HTTPRoutes in which pools are beside other things, and what policies of Envoy Gateway say of them. */

let cluster: Cluster;
let url: string;

const NAMESPACE = 'shop';
const ELSEWHERE = 'elsewhere';
const GATEWAY = { name: 'theirs', namespace: 'routes' };
const alpha = { name: 'alpha', namespace: NAMESPACE } as const;
const far = { name: 'far', namespace: ELSEWHERE, failureMode: 'FailOpen' } as const;

type Backend = Parameters<typeof poolRoute>[3][number];
const route = (path: string, ...backends: readonly Backend[]) =>
  poolRoute(path, NAMESPACE, GATEWAY, backends, `/${path}`);

/** The pods of a pool, as a Service that knows nothing of pickers. */
const plainService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'plain', namespace: NAMESPACE },
  spec: { selector: { app: 'alpha' }, ports: [{ port: 80, targetPort: 3000 }] },
};
const emptyService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'empty', namespace: NAMESPACE },
  spec: { selector: { app: 'nobody' }, ports: [{ port: 80, targetPort: 3000 }] },
};
const rule = (path: string, more: object) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: path, namespace: NAMESPACE },
  spec: {
    parentRefs: [GATEWAY],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: `/${path}` } }],
        backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'alpha' }],
        ...more,
      },
    ],
  },
});
const directResponse = {
  apiVersion: 'gateway.envoyproxy.io/v1alpha1',
  kind: 'HTTPRouteFilter',
  metadata: { name: 'closed', namespace: NAMESPACE },
  spec: { directResponse: { statusCode: 418, contentType: 'text/plain', body: { type: 'Inline', inline: 'closed' } } },
};
const grant = {
  apiVersion: 'gateway.networking.k8s.io/v1beta1',
  kind: 'ReferenceGrant',
  metadata: { name: 'models', namespace: ELSEWHERE },
  spec: {
    from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace: NAMESPACE }],
    to: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool' }],
  },
};

beforeAll(async () => {
  cluster = await takeCluster();
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'routes' } },
    plainGateway('theirs', 'routes'),
    ...[NAMESPACE, ELSEWHERE].flatMap(pickerRights),
    ...[alpha, far].flatMap(poolObjects),
    ...[plainService, emptyService, directResponse],
    route('alone', { pool: 'alpha' }),
    route('beside-service', { pool: 'alpha', weight: 1 }, { service: 'plain', port: 80, weight: 1 }),
    route('beside-empty', { service: 'empty', port: 80, weight: 1 }, { pool: 'alpha', weight: 1 }),
    route('beside-missing', { pool: 'missing', weight: 1 }, { pool: 'alpha', weight: 3 }),
    route('only-missing', { pool: 'missing' }),
    route('far', { pool: 'far', namespace: ELSEWHERE }),
    route('weightless', { pool: 'alpha', weight: 0 }, { service: 'plain', port: 80 }),
    rule('redirected', {
      filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'example.com' } }],
      backendRefs: [],
    }),
    rule('closed', {
      filters: [
        {
          type: 'ExtensionRef',
          extensionRef: { group: 'gateway.envoyproxy.io', kind: 'HTTPRouteFilter', name: 'closed' },
        },
      ],
    }),
    rule('rewritten', {
      filters: [
        { type: 'URLRewrite', urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/v1' } } },
      ],
      timeouts: { request: '3s' },
    }),
  ]);
  url = await addressOf(cluster, 'theirs', 'routes');
  for (const { name, namespace } of [alpha, far]) {
    for (const one of [name, pickerName({ name })]) await cluster.rolledOut(namespace, one);
  }
  await cluster.until('an answer', async () => (await ask('alone')).isPicked, { timeout: 60_000 });
}, 300_000);

const ask = (path: string, body?: string) => askPool(`${url}/${path}`, body === undefined ? {} : { body });

async function many(path: string, count: number) {
  const counts = { picked: 0, plain: 0, failed: 0 };
  for (let sent = 0; sent < count; sent += 1) {
    const { status, isPicked } = await ask(path);
    counts[status !== 200 ? 'failed' : isPicked ? 'picked' : 'plain'] += 1;
  }
  return counts;
}

test('beside a Service each has its share, and only the share of the pool is picked for', async () => {
  const { picked, plain, failed } = await many('beside-service', 200);
  expect(failed).toBe(0);
  expect(Math.abs(picked - plain)).toBeLessThan(64);
});

test('beside what is not there, the pool has its share, and the rest fails', async () => {
  const missing = await many('beside-missing', 200);
  expect(missing.plain).toBe(0);
  expect(Math.abs(missing.picked - 150)).toBeLessThan(30);
  const empty = await many('beside-empty', 200);
  expect(empty.plain).toBe(0);
  expect(Math.abs(empty.picked - 100)).toBeLessThan(35);
  expect((await ask('only-missing')).status).toBe(500);
});

test('a weight of 0 sends nothing', async () => {
  expect(await many('weightless', 50)).toEqual({ picked: 0, plain: 50, failed: 0 });
});

test('answers of Envoy itself and redirects stay as they are', async () => {
  const closed = await ask('closed');
  expect([closed.status, closed.text, closed.isPicked]).toEqual([418, 'closed', false]);
  expect((await ask('redirected')).status).toBe(302);
});

test('filters of the route hold for pools', async () => {
  const { echo, isPicked } = await ask('rewritten/completions');
  expect([echo().path, isPicked]).toEqual(['/v1/completions', true]);
});

test('a pool of another namespace needs a ReferenceGrant', async () => {
  expect((await ask('far')).status).toBe(500);
  await cluster.apply(grant);
  await cluster.until('an answer', async () => (await ask('far')).isPicked);
  await cluster.kubectl(['-n', ELSEWHERE, 'delete', 'referencegrant', 'models']);
  await cluster.until('a refusal', async () => (await ask('far')).status === 500);
});

test('a route that is wrong takes nothing from the others', async () => {
  const before = await many('alone', 20);
  await cluster.apply(route('beside-service', { pool: 'nobody' }, { service: 'nothing', port: 1 }));
  await sleep(1_000);
  expect([before, await many('alone', 20)]).toEqual([
    { picked: 20, plain: 0, failed: 0 },
    { picked: 20, plain: 0, failed: 0 },
  ]);
});

test('a rule that changes between a Service and a pool, or is deleted, holds up nothing', async () => {
  const asOf = async (what: string, attempt: () => Promise<boolean>) => {
    const from = performance.now();
    await cluster.until(what, attempt, { timeout: 30_000, every: 20 });
    const tookMs = performance.now() - from;
    console.info(`${what}: ${Math.round(tookMs)} ms`);
    return tookMs;
  };
  const lead = (pool: boolean) =>
    cluster.apply(route('changing', pool ? { pool: 'alpha' } : { service: 'plain', port: 80 }));
  const took: number[] = [];
  await lead(true);
  took.push(await asOf('to a pool', async () => (await ask('changing')).isPicked));
  for (let round = 0; round < 2; round += 1) {
    await lead(false);
    took.push(
      await asOf('to a Service', async () => {
        const { status, isPicked } = await ask('changing');
        return status === 200 && !isPicked;
      }),
    );
    await lead(true);
    took.push(await asOf('to a pool', async () => (await ask('changing')).isPicked));
  }
  await cluster.kubectl(['-n', NAMESPACE, 'delete', 'httproute', 'changing']);
  await cluster.apply(route('next', { pool: 'alpha' }));
  took.push(await asOf('another route', async () => (await ask('next')).isPicked));
  expect(Math.max(...took)).toBeLessThan(10_000);
}, 120_000);
