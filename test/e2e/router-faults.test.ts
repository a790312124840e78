import { until } from '../support/until';
import { startTestGateway, type TestGateway } from './support/gateway';
import { failures, servedBy, startLoad } from './support/load';
import { chatBody, send } from './support/send';

const ONE = [{ name: 'llama', modelName: 'llama' }];
/** The pods serve it too, so that the scheduler may be given this name. */
const RENAMED = 'llama-renamed';
const TWO = [...ONE, { name: 'qwen', modelName: 'qwen' }];

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function start(schedulers: typeof ONE, speed = 20): Promise<TestGateway> {
  gateway = await startTestGateway({
    schedulers,
    pods: schedulers.flatMap(({ name }) =>
      ['0', '1'].map((pod) => ({ name: `${name}-${pod}`, scheduler: name, speed, adapters: [RENAMED] })),
    ),
    spec: { bbr: { enabled: true }, observability: { explain: { enabled: true } } },
  });
  return gateway;
}

const ask = (url: string, model: string) =>
  send(url, '/v1/chat/completions', { body: chatBody(model), headers: { 'x-gateway-explain': '1' } });

/** Resolves once picks are made, with the pid of the router that makes them. */
async function untilPicks({ url, local }: TestGateway): Promise<number | undefined> {
  await until('picks are made', async () => (await ask(url, 'llama')).headers['x-gateway-decision'] !== undefined);
  return local.pids().router;
}

function signal(pid: number | undefined, name: NodeJS.Signals | 0): void {
  if (pid === undefined) throw new Error('there is no such process');
  process.kill(pid, name);
}

/**
 * Stops the router for good, as far as requests can tell: killed each time that the supervisor starts it again.
 * Resolves the function that ends this.
 */
function keepDead({ local }: TestGateway): () => void {
  const kill = () => {
    const { router } = local.pids();
    if (router !== undefined) process.kill(router, 'SIGKILL');
  };
  kill();
  const timer = setInterval(kill, 10);
  return () => clearInterval(timer);
}

test('with one scheduler and a dead router Envoy balances over the pods, and picks resume after the restart', async () => {
  const running = await start(ONE);
  const before = await untilPicks(running);
  const revive = keepDead(running);
  try {
    const load = startLoad({ url: running.url, model: 'llama', concurrency: 4, requests: 40 });
    const outcomes = await load.outcomes;
    expect(failures(outcomes)).toEqual([]);
    expect(new Set(outcomes.map(servedBy))).toEqual(new Set(running.pods.map(({ address }) => address)));
    expect((await ask(running.url, 'llama')).headers['x-gateway-decision']).toBeUndefined();
  } finally {
    revive();
  }
  expect(await untilPicks(running)).not.toBe(before);
});

test('with several schedulers and a dead router every request is answered 503, and picks resume after the restart', async () => {
  const running = await start(TWO);
  await untilPicks(running);
  const revive = keepDead(running);
  try {
    const { outcomes } = startLoad({ url: running.url, model: 'qwen', concurrency: 4, requests: 40 });
    for (const { status, headers, body } of await outcomes) {
      expect(status).toBe(503);
      expect(headers['content-type']).toBe('application/json');
      expect(JSON.parse(body)).toEqual({
        error: {
          message: 'The gateway cannot read requests at the moment. Try again later.',
          type: 'service_unavailable',
          param: null,
          code: 'router_unavailable',
        },
      });
    }
  } finally {
    revive();
  }
  await untilPicks(running);
  expect((await ask(running.url, 'qwen')).status).toBe(200);
});

test('responses that are under way when the router is killed end whole', async () => {
  const running = await start(ONE, 1);
  const before = await untilPicks(running);
  const load = startLoad({
    url: running.url,
    model: 'llama',
    concurrency: 8,
    requests: 8,
    streamed: (index) => index % 2 === 0,
    fields: { max_tokens: 150, ignore_eos: true },
  });
  await until('all are at work', async () => {
    const pods = (await running.local.pools()).flatMap((pool) => pool.pods);
    return pods.reduce((sum, { inFlight }) => sum + inFlight, 0) === 8;
  });
  signal(before, 'SIGKILL');

  expect(load.ended()).toBe(0);
  expect(failures(await load.outcomes)).toEqual([]);
});

test('while the router is stopped requests go on without it, and picks resume when it continues', async () => {
  const running = await start(ONE);
  const before = await untilPicks(running);
  signal(before, 'SIGSTOP');
  // Each of them waits for the message timeout, which is the longest hold and 2 s: 12 s by default. Then it goes on.
  const { outcomes } = startLoad({ url: running.url, model: 'llama', concurrency: 20, requests: 20 });
  expect(failures(await outcomes)).toEqual([]);
  signal(before, 'SIGCONT');

  expect(await untilPicks(running)).toBe(before);
});

test('an Envoy that is killed comes back at the same URL', async () => {
  const running = await start(ONE);
  const { envoy } = running.local.pids();
  signal(envoy, 'SIGKILL');

  await until('requests are served again', async () => {
    const answer = await ask(running.url, 'llama').catch(() => undefined);
    return answer?.status === 200 && answer.headers['x-gateway-decision'] !== undefined;
  });
  expect(running.local.pids().envoy).not.toBe(envoy);
});

test('an edit that is made while Envoy is away is in force when it is back', async () => {
  const running = await start(ONE);
  signal(running.local.pids().envoy, 'SIGKILL');
  await running.writeConfig([{ name: 'llama', modelName: RENAMED }]);

  await until('the new model is served', async () => {
    const answer = await ask(running.url, RENAMED).catch(() => undefined);
    return answer?.status === 200;
  });
  signal(running.local.pids().envoy, 'SIGKILL');
  await until('the new model is served again', async () => {
    const answer = await ask(running.url, RENAMED).catch(() => undefined);
    return answer?.status === 200;
  });
});

test('a request that is held when its router is ended is told so, and Envoy does not send it anywhere', async () => {
  gateway = await startTestGateway({
    schedulers: TWO,
    pods: [{ name: 'llama-0', scheduler: 'llama', ready: false, absent: true }],
    spec: { overload: { emptyPoolHold: '60s' } },
  });
  const running = gateway;
  const held = ask(running.url, 'llama');
  await until('it is held', async () => /queue_size\{[^}]*standard[^}]*\} 1\b/.test(await running.metrics()));
  signal(running.local.pids().router, 'SIGTERM');
  const answer = await held;
  expect([answer.status, answer.json().error.code]).toEqual([503, 'shutting_down']);
});

test('closing the gateway ends every process, one that is stopped too', async () => {
  const running = await start(ONE);
  const { envoy, router } = running.local.pids();
  const pids = [envoy, router, ...running.pods.map((pod) => pod.pid())];
  signal(router, 'SIGSTOP');
  running.pods[0]!.freeze();
  await running.close();

  for (const pid of pids) expect(() => signal(pid, 0)).toThrow('ESRCH');
});
