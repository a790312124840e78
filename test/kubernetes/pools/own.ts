import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { takeCluster } from '../../e2e/support/kubernetes/shared-cluster';
import type { Cluster } from '../support/cluster';
import { addressOf, plainGateway, poolRoute } from '../support/pools/plain-gateway';
import { startPoolLoad } from '../support/pools/pool-load';
import { modelServer, scheduler, tenant } from '../support/tenant';

/* The pool of a gateway of the product, with its own picker, behind a Gateway and an HTTPRoute of somebody else. */

let cluster: Cluster;
let url: string;

const NAMESPACE = 'red';

beforeAll(async () => {
  cluster = await takeCluster();
  for (const name of [NAMESPACE, 'others']) {
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  await cluster.apply([modelServer(NAMESPACE, 'llama')]);
  const red = tenant(cluster, NAMESPACE, 'red');
  await cluster.apply([red.object([scheduler('llama')]), plainGateway('theirs', 'others')]);
  await cluster.apply(poolRoute('to-llama', NAMESPACE, { name: 'theirs', namespace: 'others' }, [{ pool: 'llama' }]));
  url = await addressOf(cluster, 'theirs', 'others');
  await red.untilAnswered('llama');
  await untilPicked();
}, 300_000);

const chat = (content: string, stream = false) =>
  JSON.stringify({ model: 'llama', max_tokens: 4, stream, messages: [{ role: 'user', content }] });

async function ask(content: string, headers: Readonly<Record<string, string>> = {}) {
  const answer = await request(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: chat(content),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

const thePicker = () =>
  cluster.pods.list().find(({ metadata }) => metadata?.namespace === NAMESPACE && metadata.labels?.app === 'llama-epp')!
    .metadata!.name!;
const kill = (signal: NodeJS.Signals) => cluster.kubelet.killContainer(NAMESPACE, thePicker(), 'picker', signal);
const startLoad = () => startPoolLoad({ url: `${url}/v1/chat/completions`, perSecond: 100, body: chat('hello', true) });

/** Requests that the picker has picked for so far. */
async function picked(): Promise<number> {
  const pod = cluster.pods.list().find(({ metadata }) => metadata?.name === thePicker());
  const page = await (await fetch(`http://${pod!.status!.podIP}:9090/metrics`)).text();
  const counts = [
    ...page.matchAll(/^inference_extension_scheduler_attempts_total\{[^}]*status="success"[^}]*\} (\d+)/gm),
  ];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Until it is known, requests pass without one. */
async function untilPicked(): Promise<void> {
  await cluster.until(
    'a pick',
    async () => {
      const before = await picked();
      const { status, text } = await ask('hello');
      if (status !== 200) throw new Error(`${status} ${text}`);
      return (await picked()) > before;
    },
    { timeout: 60_000 },
  );
}

test('its picker picks', async () => {
  const before = await picked();
  for (let sent = 0; sent < 10; sent += 1) expect((await ask('hello')).status).toBe(200);
  expect(await picked()).toBe(before + 10);
});

test('long prompts pass', async () => {
  expect((await ask('word '.repeat(60_000))).status).toBe(200);
});

async function underLoad(fault: () => Promise<void>) {
  const load = startLoad();
  await sleep(2_000);
  await fault();
  await sleep(2_000);
  const requests = await load.stop();
  expect(requests.length).toBeGreaterThan(400);
  return {
    lost: requests.filter(({ status }) => status !== 200),
    longestMs: Math.max(...requests.map(({ tookMs }) => tookMs)),
  };
}

test('nothing is lost when its only picker dies', async () => {
  await untilPicked();
  const { lost } = await underLoad(async () => {
    kill('SIGKILL');
    await sleep(3_000);
  });
  expect(lost).toEqual([]);
}, 60_000);

test('nor when it hangs, and what it holds goes on long before it does', async () => {
  await untilPicked();
  const { lost, longestMs } = await underLoad(async () => {
    kill('SIGSTOP');
    await sleep(8_000);
    kill('SIGCONT');
  });
  expect(lost).toEqual([]);
  expect(longestMs).toBeLessThan(6_000);
}, 60_000);
