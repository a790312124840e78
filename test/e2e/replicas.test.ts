import { until } from '../support/until';
import { startTestGateway, type TestGateway } from './support/gateway';
import { podStates, untilReleased } from './support/ledger';
import { failures, type Load, servedBy, startLoad } from './support/load';
import { prefixHitRate, primaryPicker, signalPicker } from './support/pickers';
import { chatBody, send } from './support/send';

const MODEL = 'llama';
const PODS = ['a', 'b', 'c', 'd'];
/** Conversations, each of which comes back with the same beginning. */
const CONVERSATIONS = 24;
const ROUNDS = 12;

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function start(pickers: number, speed = 20): Promise<TestGateway> {
  gateway = await startTestGateway({
    pickers,
    schedulers: [{ name: 'llama', modelName: MODEL }],
    pods: PODS.map((name) => ({ name, scheduler: 'llama', speed })),
    spec: { bbr: { enabled: true }, observability: { explain: { enabled: true } } },
  });
  return gateway;
}

/** Streams without end. */
function steadyLoad({ url }: TestGateway): Load {
  return startLoad({
    url,
    model: MODEL,
    concurrency: 6,
    streamed: () => true,
    fields: { max_tokens: 20, ignore_eos: true },
  });
}

/** The conversations round after round, as streams; `half` is called when half of them have ended. */
async function converse({ url, pods }: TestGateway, half: () => void): Promise<number> {
  const total = CONVERSATIONS * ROUNDS;
  let next = 0;
  const client = async () => {
    while (next < total) {
      const index = next++;
      if (index === total / 2) half();
      const beginning = `conversation ${index % CONVERSATIONS} `.repeat(300);
      const messages = [{ role: 'user', content: `${beginning} question ${index}` }];
      const { status, body } = await send(url, '/v1/chat/completions', {
        body: chatBody(MODEL, { messages, stream: true, max_tokens: 8 }),
      });
      expect(status).toBe(200);
      expect(body.toString()).toMatch(/data: \[DONE\]\n\n$/);
    }
  };
  await Promise.all(Array.from({ length: 6 }, client));
  return await prefixHitRate(pods.map(({ address }) => address));
}

test('when the picker that decides is killed no stream fails, and prefixes are found as often as with a single one', async () => {
  const single = await converse(await start(0), () => {});
  await gateway!.close();

  const running = await start(2);
  const replicated = await converse(running, () => {
    void primaryPicker(running.local).then((primary) => signalPicker(running.local, primary, 'SIGKILL'));
  });
  expect(single).toBeGreaterThan(0.8);
  expect(replicated).toBeGreaterThan(single - 0.02);
  await untilReleased(running.local);
}, 120_000);

test('while the picker that decides is stopped no stream fails and another picks, and it is followed up when it goes on', async () => {
  const running = await start(2);
  const load = steadyLoad(running);
  const primary = await primaryPicker(running.local);
  signalPicker(running.local, primary, 'SIGSTOP');
  await until('another picks', async () => (await decisionOf(running)) !== undefined);
  const ended = load.ended();
  await until('streams go on', () => load.ended() > ended + 30);
  signalPicker(running.local, primary, 'SIGCONT');
  const after = load.ended();
  await until('streams go on', () => load.ended() > after + 30);
  load.stop();
  expect(failures(await load.outcomes)).toEqual([]);
  await untilReleased(running.local);
}, 60_000);

test('with every picker dead Envoy balances over the pods, and picks resume when they are back', async () => {
  const running = await start(2);
  await until('picks are made', async () => (await decisionOf(running)) !== undefined);
  const kill = () => {
    for (const index of [0, 1]) signalPicker(running.local, index, 'SIGKILL');
  };
  kill();
  const timer = setInterval(kill, 10);
  try {
    const load = startLoad({
      url: running.url,
      model: MODEL,
      concurrency: 6,
      requests: 60,
      streamed: (at) => at % 2 > 0,
    });
    const outcomes = await load.outcomes;
    expect(failures(outcomes)).toEqual([]);
    expect(new Set(outcomes.map(servedBy)).size).toBeGreaterThan(1);
    expect(await decisionOf(running)).toBeUndefined();
  } finally {
    clearInterval(timer);
  }
  await until('picks are made again', async () => (await decisionOf(running)) !== undefined);
  await untilReleased(running.local);
}, 60_000);

test('with every picker dead each model is still served by its own pods', async () => {
  gateway = await startTestGateway({
    pickers: 1,
    schedulers: [
      { name: 'llama', modelName: 'llama' },
      { name: 'qwen', modelName: 'qwen' },
    ],
    pods: ['llama', 'qwen'].map((name) => ({ name: `${name}-0`, scheduler: name })),
  });
  const { local, url } = gateway;
  const kill = () => signalPicker(local, 0, 'SIGKILL');
  kill();
  const timer = setInterval(kill, 10);
  try {
    const model = (index: number) => (index % 2 > 0 ? 'qwen' : 'llama');
    const outcomes = await startLoad({ url, model, concurrency: 4, requests: 20 }).outcomes;
    expect(failures(outcomes)).toEqual([]);
    for (const outcome of outcomes) expect(servedBy(outcome)).toBe(gateway.address(`${model(outcome.index)}-0`));
  } finally {
    clearInterval(timer);
  }
});

test('what a router had in flight leaves the pickers when it is started again, and its streams end whole', async () => {
  const running = await start(2, 0.5);
  const load = startLoad({
    url: running.url,
    model: MODEL,
    concurrency: 8,
    requests: 8,
    streamed: () => true,
    fields: { max_tokens: 800, ignore_eos: true },
  });
  const inFlight = async () => (await podStates(running.local)).reduce((sum, pod) => sum + pod.inFlight, 0);
  await until('all are in flight', async () => (await inFlight()) === 8);
  process.kill(running.local.pids().router!, 'SIGKILL');
  await until('none is in flight', async () => (await inFlight()) === 0);
  expect(load.ended()).toBe(0);
  expect(failures(await load.outcomes)).toEqual([]);
}, 60_000);

test('SIGTERM to the picker that decides, and to the router, loses no stream', async () => {
  const running = await start(2);
  const load = steadyLoad(running);
  signalPicker(running.local, await primaryPicker(running.local), 'SIGTERM');
  await until('streams go on', () => load.ended() > 60);
  const { router } = running.local.pids();
  process.kill(router!, 'SIGTERM');
  await until('the router is another', () => ![undefined, router].includes(running.local.pids().router));
  await until('picks are made again', async () => (await decisionOf(running)) !== undefined);
  load.stop();
  expect(failures(await load.outcomes)).toEqual([]);
  await untilReleased(running.local);
}, 60_000);

/** Why a request went where it did; undefined where no picker picked. */
async function decisionOf({ url }: TestGateway): Promise<unknown> {
  const { headers } = await send(url, '/v1/chat/completions', {
    body: chatBody(MODEL),
    headers: { 'x-gateway-explain': '1' },
  });
  return headers['x-gateway-decision'];
}
