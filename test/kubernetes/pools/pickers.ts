import { setTimeout as sleep } from 'node:timers/promises';
import { takeCluster } from '../../e2e/support/kubernetes/shared-cluster';
import type { Cluster } from '../support/cluster';
import { askPool, type PoolQuestion } from '../support/pools/ask-pool';
import { addressOf, plainGateway, poolRoute } from '../support/pools/plain-gateway';
import { type LoadedRequest, startPoolLoad } from '../support/pools/pool-load';
import { pickerName, pickerRights, pool, poolObjects } from '../support/pools/pool-objects';

/* Pools with pickers that are not the product's, behind a Gateway and HTTPRoutes of others. */

let cluster: Cluster;
let url: string;

const NAMESPACE = 'models';
const GATEWAY = { name: 'theirs', namespace: 'theirs' };
const PICK = 'test-epp-endpoint-selection';

const alpha = { name: 'alpha', namespace: NAMESPACE, failureMode: 'FailClose' } as const;
const beta = { name: 'beta', namespace: NAMESPACE, failureMode: 'FailOpen' } as const;
const h2c = { name: 'h2c', namespace: NAMESPACE, h2c: true } as const;
const ranks = { name: 'ranks', namespace: NAMESPACE, ports: [3000, 3002] } as const;
const route = (path: string, ...pools: readonly { readonly name: string; readonly weight?: number }[]) =>
  poolRoute(
    path,
    NAMESPACE,
    GATEWAY,
    pools.map(({ name, weight }) => ({ pool: name, ...(weight !== undefined && { weight }) })),
    `/${path}`,
  );

beforeAll(async () => {
  cluster = await takeCluster();
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'theirs' } },
    plainGateway('theirs', 'theirs'),
    ...pickerRights(NAMESPACE),
    ...[alpha, beta, h2c, ranks].flatMap(poolObjects),
    ...[alpha, beta, h2c, ranks].map((one) => route(one.name, one)),
  ]);
  url = await addressOf(cluster, 'theirs', 'theirs');
  for (const one of [alpha, beta, h2c, ranks]) {
    for (const name of [one.name, pickerName(one)]) await cluster.rolledOut(NAMESPACE, name);
    await untilAnswered(one.name);
  }
}, 300_000);

const ask = (path: string, question?: PoolQuestion) => askPool(`${url}/${path}`, question);

/** A picker that has failed is asked again a moment after it is back. */
const untilPicked = (of: { readonly name: string }) =>
  cluster.until('a pick', async () => (await ask(of.name)).headers['x-conformance-test-served-endpoint'] !== undefined);

async function untilAnswered(path: string): Promise<void> {
  await cluster.until(
    `an answer at /${path}`,
    async () => {
      const { status, text } = await ask(path);
      if (status !== 200) throw new Error(`${status} ${text}`);
      return true;
    },
    { timeout: 60_000, every: 250 },
  );
}

function podsOf({ name }: { readonly name: string }) {
  return cluster.pods
    .list()
    .filter(({ metadata }) => metadata?.namespace === NAMESPACE && metadata.labels?.app === name)
    .map(({ metadata, status }) => ({ name: metadata!.name!, ip: status!.podIP! }));
}

test('a request goes where the picker says, with its body, and the picker is told who served', async () => {
  for (const { name, ip } of podsOf(alpha)) {
    for (let sent = 0; sent < 5; sent += 1) {
      const { status, headers, echo } = await ask('alpha', { headers: { [PICK]: `${ip}:3000` } });
      expect(status).toBe(200);
      expect(echo()).toMatchObject({ pod: name, body: '{"model":"m","prompt":"hello"}' });
      expect(headers['x-conformance-test-served-endpoint']).toBe(`${ip}:3000`);
    }
  }
});

test('a client cannot choose the pod', async () => {
  const [first] = podsOf(alpha);
  const seen = new Set<string>();
  for (let sent = 0; sent < 20; sent += 1) {
    const { echo } = await ask('alpha', { headers: { 'x-gateway-destination-endpoint': `${first!.ip}:3000` } });
    seen.add(echo().pod);
  }
  expect(seen.size).toBe(2);
});

test('pods are spoken to as the pool says', async () => {
  expect((await ask('h2c')).echo().httpVersion).toBe('2.0');
  expect((await ask('alpha')).echo().httpVersion).toBe('1.1');
});

test('each port of a pod is an endpoint of its own', async () => {
  for (const { name, ip } of podsOf(ranks)) {
    for (const port of [3000, 3002]) {
      const { echo } = await ask('ranks', { headers: { [PICK]: `${ip}:${port}` } });
      expect(echo()).toMatchObject({ pod: name, port });
    }
  }
});

const BODY = JSON.stringify({ model: 'm', prompt: 'x'.repeat(2_000) });

/** Loads a pool at 100 requests a second, kills its picker, lets it be dead for five seconds, and has it back. */
async function underLoadWithoutPicker(of: { readonly name: string }) {
  const epp = pickerName(of);
  await untilPicked(of);
  const load = startPoolLoad({ url: `${url}/${of.name}`, perSecond: 100, body: BODY });
  await sleep(2_000);
  const [victim] = podsOf({ name: epp });
  const killedMs = load.now();
  cluster.kubelet.killContainer(NAMESPACE, victim!.name, 'picker', 'SIGKILL');
  await cluster.kubectl(['-n', NAMESPACE, 'scale', 'deployment', epp, '--replicas=0']);
  await sleep(5_000);
  const backMs = load.now();
  await cluster.kubectl(['-n', NAMESPACE, 'scale', 'deployment', epp, '--replicas=1']);
  await cluster.rolledOut(NAMESPACE, epp);
  await sleep(2_000);
  const upMs = load.now();
  await sleep(1_000);
  const requests = await load.stop();
  const between = (from: number, to: number) => requests.filter(({ sentMs }) => sentMs >= from && sentMs < to);
  return {
    before: between(500, killedMs - 500),
    dead: between(killedMs + 1_000, backMs),
    after: between(upMs, Number.POSITIVE_INFINITY),
    failed: requests.filter(({ status }) => status !== 200),
    killedMs,
  };
}

const statuses = (requests: readonly LoadedRequest[]) => [...new Set(requests.map(({ status }) => status))];

test('FailOpen: at most a second of requests is lost when a picker dies that takes bodies as they come', async () => {
  const { before, dead, after, failed, killedMs } = await underLoadWithoutPicker(beta);

  for (const part of [before, dead, after]) expect(statuses(part)).toEqual([200]);
  expect(before.every(({ isPicked }) => isPicked)).toBe(true);
  expect(dead.some(({ isPicked }) => isPicked)).toBe(false);
  expect(after.every(({ isPicked }) => isPicked)).toBe(true);
  console.info(`FailOpen: ${failed.length} lost`, failed.slice(0, 5), killedMs);
  expect(failed.filter(({ sentMs }) => sentMs < killedMs - 500 || sentMs > killedMs + 1_000)).toEqual([]);
  expect(failed.length).toBeLessThan(100);
}, 60_000);

test('FailOpen: responses that are under way go on when the picker dies', async () => {
  await untilPicked(beta);
  const streams = Array.from({ length: 30 }, () => ask('beta/stream'));
  await sleep(500);
  const [victim] = podsOf({ name: pickerName(beta) });
  cluster.kubelet.killContainer(NAMESPACE, victim!.name, 'picker', 'SIGKILL');
  for (const { status, text } of await Promise.all(streams)) {
    expect([status, text.trimEnd().endsWith('[DONE]')]).toEqual([200, true]);
  }
});

test('FailOpen: no more is lost when a picker hangs', async () => {
  await untilPicked(beta);
  const load = startPoolLoad({ url: `${url}/beta`, perSecond: 100, body: BODY });
  await sleep(2_000);
  const [victim] = podsOf({ name: pickerName(beta) });
  const hungMs = load.now();
  cluster.kubelet.killContainer(NAMESPACE, victim!.name, 'picker', 'SIGSTOP');
  await sleep(5_000);
  cluster.kubelet.killContainer(NAMESPACE, victim!.name, 'picker', 'SIGCONT');
  await sleep(3_000);
  const upMs = load.now();
  await sleep(1_000);
  const requests = await load.stop();
  const failed = requests.filter(({ status }) => status !== 200);
  expect(failed.filter(({ sentMs }) => sentMs < hungMs - 500 || sentMs > hungMs + 1_000)).toEqual([]);
  // Those that it held wait for it; from then on nothing does.
  expect(requests.filter(({ tookMs }) => tookMs > 2_000).length).toBeLessThan(150);
  expect(requests.filter(({ sentMs }) => sentMs > upMs).every(({ isPicked }) => isPicked)).toBe(true);
}, 60_000);

test('FailClose: nothing passes a picker that is dead, and the pools of others are as before', async () => {
  const others = startPoolLoad({ url: `${url}/h2c`, perSecond: 50, body: BODY });
  const { before, dead, after } = await underLoadWithoutPicker(alpha);

  expect(statuses(before)).toEqual([200]);
  console.info(`FailClose: ${statuses(dead)}`, dead[0]);
  for (const status of statuses(dead)) expect(status).toBeGreaterThanOrEqual(500);
  expect(Math.max(...dead.map(({ tookMs }) => tookMs))).toBeLessThan(5_000);
  expect(statuses(after)).toEqual([200]);
  const untouched = await others.stop();
  expect(statuses(untouched)).toEqual([200]);
  expect(untouched.every(({ isPicked }) => isPicked)).toBe(true);
}, 60_000);

test('FailClose: a picker that pauses for most of a second fails nothing', async () => {
  await untilPicked(alpha);
  const load = startPoolLoad({ url: `${url}/alpha`, perSecond: 100, body: BODY });
  const [picker] = podsOf({ name: pickerName(alpha) });
  for (let pause = 0; pause < 3; pause += 1) {
    await sleep(1_000);
    cluster.kubelet.killContainer(NAMESPACE, picker!.name, 'picker', 'SIGSTOP');
    await sleep(900);
    cluster.kubelet.killContainer(NAMESPACE, picker!.name, 'picker', 'SIGCONT');
  }
  await sleep(1_000);
  expect(statuses(await load.stop())).toEqual([200]);
}, 60_000);

test('FailClose: a picker that hangs is left within three seconds, and asked again within a second', async () => {
  await untilPicked(alpha);
  const [picker] = podsOf({ name: pickerName(alpha) });
  cluster.kubelet.killContainer(NAMESPACE, picker!.name, 'picker', 'SIGSTOP');
  await sleep(3_000);
  const hanging = startPoolLoad({ url: `${url}/alpha`, perSecond: 20, body: BODY });
  await sleep(2_000);
  const requests = await hanging.stop();
  expect(statuses(requests)).toEqual([500]);
  expect(Math.max(...requests.map(({ tookMs }) => tookMs))).toBeLessThan(1_000);
  cluster.kubelet.killContainer(NAMESPACE, picker!.name, 'picker', 'SIGCONT');
  await sleep(1_000);
  expect((await ask('alpha')).status).toBe(200);
}, 60_000);

test('weights hold over many requests, each picked for by the picker of its pool', async () => {
  await cluster.apply(route('split', { name: 'beta', weight: 70 }, { name: 'h2c', weight: 30 }));
  await untilAnswered('split');
  const counts = { beta: 0, h2c: 0 };
  const total = 10_000;
  let sent = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (sent < total) {
        sent += 1;
        const { status, echo, headers } = await ask('split');
        expect(status).toBe(200);
        expect(headers['x-conformance-test-served-endpoint']).toMatch(/:3000$/);
        counts[echo().pod.startsWith('beta-') ? 'beta' : 'h2c'] += 1;
      }
    }),
  );
  console.info('weights', counts);
  // Within 4.5 standard deviations of 7,000.
  expect(Math.abs(counts.beta - 0.7 * total)).toBeLessThan(4.5 * Math.sqrt(total * 0.7 * 0.3));
}, 120_000);

test('a canary from one pool to another loses no more than the moment in which Envoy learns of a pool', async () => {
  const steps = [
    [{ name: 'beta' }],
    [
      { name: 'beta', weight: 90 },
      { name: 'h2c', weight: 10 },
    ],
    [
      { name: 'beta', weight: 10 },
      { name: 'h2c', weight: 90 },
    ],
    [{ name: 'h2c' }],
    [{ name: 'beta' }],
  ];
  await cluster.apply(route('canary', ...steps[0]!));
  await untilAnswered('canary');
  const load = startPoolLoad({ url: `${url}/canary`, perSecond: 100, body: BODY });
  const appliedMs: number[] = [];
  for (const step of steps.slice(1)) {
    await sleep(1_500);
    appliedMs.push(load.now());
    await cluster.apply(route('canary', ...step));
  }
  await sleep(2_000);
  const requests = await load.stop();
  const failed = requests.filter(({ status }) => status !== 200);
  // Envoy leads there as soon as it is told, which may be before it has the endpoints.
  const inStep = failed.filter(({ sentMs }) => appliedMs.some((at) => sentMs > at - 100 && sentMs < at + 1_000));
  expect(failed).toEqual(inStep);
  expect(statuses(failed).filter((status) => status !== 503)).toEqual([]);
  expect(failed.length).toBeLessThan(10);
  expect(requests.every(({ status, isPicked }) => status !== 200 || isPicked)).toBe(true);
}, 60_000);

test('changes of a pool are effective within two seconds', async () => {
  const asOf = async (what: string, attempt: () => Promise<boolean>) => {
    const from = performance.now();
    await cluster.until(what, attempt, { timeout: 10_000, every: 20 });
    const tookMs = performance.now() - from;
    console.info(`${what}: ${Math.round(tookMs)} ms`);
    return tookMs;
  };
  await cluster.apply(pool({ ...ranks, ports: [3002] }));
  await asOf('another port', async () => {
    const ports = new Set<number>();
    for (let sent = 0; sent < 8; sent += 1) ports.add((await ask('ranks')).echo().port);
    return [...ports].join() === '3002';
  });
  await cluster.apply(pool({ ...h2c, h2c: false }));
  await asOf('another protocol', async () => (await ask('h2c')).status !== 200);
  await cluster.apply(pool(h2c));
  await asOf('and back', async () => (await ask('h2c')).status === 200);
  await cluster.apply(route('ranks', { name: 'beta' }));
  await asOf('another pool', async () => (await ask('ranks')).echo().pod.startsWith('beta-'));
}, 60_000);
