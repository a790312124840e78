import { startTestGateway, type TestGateway } from './support/gateway';
import { podStates, untilPod, untilReleased } from './support/ledger';
import { failures, type Outcome, servedBy, startLoad } from './support/load';
import { chatBody, send } from './support/send';
import { until } from './support/until';

let gateway: TestGateway | undefined;
afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

async function start(pods: readonly string[], options: { streamIdleTimeoutMs?: number; speed?: number } = {}) {
  const { speed = 4, ...rest } = options;
  gateway = await startTestGateway({
    schedulers: [{ name: 'llama', modelName: 'llama' }],
    pods: pods.map((name) => ({ name, scheduler: 'llama', speed })),
    ...rest,
  });
  return gateway;
}

test('1,000 requests lose no more than the streams on a pod that is killed, while another freezes and both return', async () => {
  const { local, url, pod } = await start(['killed', 'frozen', 'well']);
  const killed = pod('killed');
  const frozen = pod('frozen');
  let returned = () => {};
  const bothReturned = new Promise<void>((resolve) => {
    returned = resolve;
  });
  const load = startLoad({
    url,
    model: 'llama',
    concurrency: 100,
    requests: 1_000,
    streamed: (index) => index % 2 === 0,
    fields: { max_tokens: 40, ignore_eos: true },
    before: (index) => (index < 800 ? undefined : bothReturned),
  });

  await until('requests have ended', () => load.ended() >= 150);
  frozen.freeze();
  const { inFlight: held } = await untilPod(local, frozen.address, 'is out', ({ excluded }) => excluded === 'timeout');
  await until('more requests have ended', () => load.ended() >= 400);
  await killed.kill();
  await until('the others go on', () => load.ended() >= 600);
  await killed.restart();
  const isFresh = ({ metrics }: { metrics: string }) => metrics === 'fresh';
  await untilPod(local, killed.address, 'is back', isFresh);
  frozen.thaw();
  await untilPod(local, frozen.address, 'is back', isFresh);
  returned();
  const outcomes = await load.outcomes;

  const onKilled = (outcome: Outcome) => outcome.streamed && servedBy(outcome) === killed.address;
  expect(outcomes).toHaveLength(1_000);
  expect(failures(outcomes.filter((outcome) => !onKilled(outcome)))).toEqual([]);
  expect(held).toBeGreaterThan(0);
  expect(await killed.total()).toBeGreaterThan(0);
  await untilReleased(local);
});

test('requests without a response that were on a killed pod are answered by another', async () => {
  const { local, url, pods } = await start(['one', 'two'], { speed: 1 });
  const load = startLoad({
    url,
    model: 'llama',
    concurrency: 10,
    requests: 10,
    fields: { max_tokens: 200, ignore_eos: true },
  });
  const [one, two] = [pods[0]!, pods[1]!];
  await until('both pods work', async () => (await podStates(local)).every(({ inFlight }) => inFlight === 5));
  await one.kill();

  const outcomes = await load.outcomes;
  expect(failures(outcomes)).toEqual([]);
  expect(new Set(outcomes.map(servedBy))).toEqual(new Set([two.address]));
  await untilReleased(local);
});

test('requests on a pod that stays frozen end with 504 at the idle timeout, and are released', async () => {
  const { local, url, pod } = await start(['frozen'], { streamIdleTimeoutMs: 2_000 });
  pod('frozen').freeze();
  const load = startLoad({ url, model: 'llama', concurrency: 4, requests: 4, streamed: (index) => index % 2 === 0 });
  await untilPod(local, pod('frozen').address, 'has the requests', ({ inFlight }) => inFlight === 4);

  for (const { status, headers, body } of await load.outcomes) {
    expect(status).toBe(504);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({
      error: {
        message: 'The model server did not answer in time.',
        type: 'server_error',
        param: null,
        code: 'gateway_timeout',
      },
    });
  }
  await untilReleased(local);

  pod('frozen').thaw();
  const after = await send(url, '/v1/chat/completions', { body: chatBody('llama') });
  expect(after.status).toBe(200);
});
