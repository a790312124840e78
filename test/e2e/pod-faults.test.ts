import { until } from '../support/until';
import { IN_CLUSTER, startTestGateway, type TestGateway } from './support/gateway';
import { untilPod, untilReleased } from './support/ledger';
import { failures, type Outcome, servedBy, startLoad } from './support/load';
import { readings } from './support/readings';
import { chatBody, send } from './support/send';

const IN_FLIGHT = 'inference_pool_per_pod_in_flight_requests';

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
  const { url, pod, metrics, untilIdle } = await start(['killed', 'frozen', 'well']);
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
  await until('it is out', async () =>
    readings(await metrics(), 'inference_pool_excluded_pods', { reason: 'timeout' }).includes(1),
  );
  const isFrozen = (line: string) => line.includes('/frozen"');
  const held = readings((await metrics()).split('\n').filter(isFrozen).join('\n'), IN_FLIGHT);
  await until('more requests have ended', () => load.ended() >= 400);
  await killed.kill();
  await until('the others go on', () => load.ended() >= 600);
  await killed.restart();
  frozen.thaw();
  await until('both are back', async () => readings(await metrics(), 'inference_pool_ready_pods').includes(3), 30_000);
  returned();
  const outcomes = await load.outcomes;

  const onKilled = (outcome: Outcome) => outcome.streamed && servedBy(outcome) === killed.address;
  expect(outcomes).toHaveLength(1_000);
  expect(failures(outcomes.filter((outcome) => !onKilled(outcome)))).toEqual([]);
  expect(Math.max(...held)).toBeGreaterThan(0);
  expect(await killed.total()).toBeGreaterThan(0);
  await untilIdle();
});

test('requests without a response that were on a killed pod are answered by another', async () => {
  const { url, pods, metrics, untilIdle } = await start(['one', 'two'], { speed: 1 });
  const load = startLoad({
    url,
    model: 'llama',
    concurrency: 10,
    requests: 10,
    fields: { max_tokens: 200, ignore_eos: true },
  });
  const [one, two] = [pods[0]!, pods[1]!];
  await until('both pods work', async () => {
    const inFlight = readings(await metrics(), IN_FLIGHT);
    const all = inFlight.reduce((sum, count) => sum + count, 0);
    return inFlight.length > 0 && inFlight.every((count) => count > 0) && all === 5 * inFlight.length;
  });
  await one.kill();

  const outcomes = await load.outcomes;
  expect(failures(outcomes)).toEqual([]);
  expect(new Set(outcomes.map(servedBy))).toEqual(new Set([two.address]));
  await untilIdle();
});

// In a cluster that time-out is ten minutes.
if (!IN_CLUSTER) {
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
}
