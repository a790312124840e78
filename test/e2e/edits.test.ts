import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { adaptersObject, startTestGateway, type TestGateway } from './support/gateway';
import { podStates, untilReleased } from './support/ledger';
import { failures, servedBy, startLoad } from './support/load';
import { chatBody, send } from './support/send';
import { until } from './support/until';

const LLAMA = { name: 'llama', modelName: 'llama' };
const QWEN = { name: 'qwen', modelName: 'qwen' };

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway({
    schedulers: [LLAMA],
    pods: [
      { name: 'llama-0', scheduler: 'llama', adapters: ['tuned'] },
      { name: 'llama-1', scheduler: 'llama', adapters: ['tuned'] },
      // No scheduler selects it until an edit says so.
      { name: 'parked', scheduler: 'nobody', model: 'llama', adapters: ['tuned'] },
      { name: 'qwen-0', scheduler: 'qwen', model: 'qwen', adapters: ['qwen-renamed'] },
    ],
  });
});
afterEach(() => gateway?.close());

/** Resolves once the edit is in force in every part. */
const untilInForce = (what: string, holds: (state: GatewayState) => boolean) =>
  until(`in force: ${what}`, () => holds(gateway.local.state()));

const statusOf = async (model: string) =>
  (await send(gateway.url, '/v1/chat/completions', { body: chatBody(model) })).status;

const llamaPods = (state: GatewayState) => state.schedulers.find(({ name }) => name === 'llama')?.endpoints.length;

/** The parked pod's server as another pod of the scheduler. */
function joined(): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'llama-2', namespace: 'default', labels: { app: 'llama', name: 'joined' } },
    status: {
      podIP: new URL(`http://${gateway.pod('parked').address}`).hostname,
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

test('no edit of the objects loses a request that both states serve', async () => {
  const steady = startLoad({
    url: gateway.url,
    model: 'llama',
    concurrency: 12,
    streamed: (index) => index % 3 === 0,
    fields: { max_tokens: 20 },
  });
  const names = ['qwen', 'qwen-renamed', 'tuned'];
  const edited = startLoad({ url: gateway.url, model: (index) => names[index % names.length]!, concurrency: 4 });
  const { writeConfig, writeObjects } = gateway;

  await writeObjects('joined.yaml', [joined()]);
  await untilInForce('a pod more', (state) => llamaPods(state) === 3);

  await writeConfig([LLAMA, QWEN]);
  await untilInForce('a second scheduler', ({ schedulers }) => schedulers.length === 2);
  expect(await statusOf('qwen')).toBe(200);

  await writeConfig([{ ...LLAMA, weights: { queue: 5 } }, QWEN], {
    bbr: { enabled: true, maxRequestBodyBytes: 1_000_000 },
  });
  await untilInForce('other weights and another limit', (state) => state.maxRequestBodyBytes === 1_000_000);

  await writeConfig([LLAMA, { ...QWEN, modelName: 'qwen-renamed' }]);
  await untilInForce('another name', ({ schedulers }) => schedulers.some((one) => one.modelName === 'qwen-renamed'));
  expect(await statusOf('qwen-renamed')).toBe(200);
  expect(await statusOf('qwen')).toBe(404);

  await writeObjects('adapters.yaml', [adaptersObject('llama', ['tuned'])]);
  await untilInForce('an adapter', ({ schedulers }) => schedulers.some(({ adapters }) => adapters.includes('tuned')));
  expect(await statusOf('tuned')).toBe(200);

  await writeObjects('adapters.yaml', []);
  await untilInForce('no adapter', ({ schedulers }) => schedulers.every(({ adapters }) => adapters.length === 0));
  expect(await statusOf('tuned')).toBe(404);

  await writeConfig([LLAMA]);
  await untilInForce('one scheduler', ({ schedulers }) => schedulers.length === 1);
  expect(await statusOf('qwen-renamed')).toBe(404);

  await writeObjects('joined.yaml', []);
  await untilInForce('a pod less', (state) => llamaPods(state) === 2);
  const leaver = gateway.pod('parked').address;
  expect((await podStates(gateway.local)).map(({ address }) => address)).not.toContain(leaver);

  steady.stop();
  edited.stop();
  const outcomes = await steady.outcomes;
  expect(failures(outcomes)).toEqual([]);
  expect(new Set(outcomes.map(servedBy))).toContain(leaver);
  const others = await edited.outcomes;
  expect(failures(others.filter(({ status }) => status !== 404))).toEqual([]);
  for (const { status, body } of others) {
    if (status === 404) expect(JSON.parse(body).error.code).toBe('model_not_found');
  }
  await untilReleased(gateway.local);
});

test('an edit of how long a request may be held, which changes the listener, loses no request', async () => {
  const load = startLoad({
    url: gateway.url,
    model: 'llama',
    concurrency: 8,
    streamed: (index) => index % 3 === 0,
    fields: { max_tokens: 20 },
  });
  for (const [emptyPoolHold, milliseconds] of [
    ['20s', 20_000],
    ['0s', 0],
  ] as const) {
    await gateway.writeConfig([LLAMA], { bbr: { enabled: true }, overload: { emptyPoolHold } });
    await untilInForce(emptyPoolHold, ({ schedulers }) => schedulers[0]?.overload.emptyPoolHoldMs === milliseconds);
  }
  load.stop();
  const outcomes = await load.outcomes;
  expect(failures(outcomes)).toEqual([]);
  // The listener that went asks its clients to connect anew.
  expect(outcomes.some(({ headers }) => headers.connection === 'close')).toBe(true);
  await untilReleased(gateway.local);
});

test('a response that is under way ends whole, although its pod and then its scheduler are removed', async () => {
  const { writeConfig, writeObjects } = gateway;
  await writeObjects('joined.yaml', [joined()]);
  await writeConfig([QWEN, { ...LLAMA, modelSelector: { matchLabels: { name: 'joined' } } }]);
  await untilInForce('the pod alone', (state) => llamaPods(state) === 1);
  await gateway.pod('parked').faults({ slowdown: 20 });
  const load = startLoad({
    url: gateway.url,
    model: 'llama',
    concurrency: 2,
    requests: 2,
    streamed: (index) => index === 0,
    fields: { max_tokens: 1_000, ignore_eos: true },
  });
  await until('both are at work', async () => (await podStates(gateway.local)).some(({ inFlight }) => inFlight === 2));

  await writeObjects('joined.yaml', []);
  await untilInForce('no pod', (state) => llamaPods(state) === 0);
  await writeConfig([QWEN]);
  await untilInForce('no scheduler', ({ schedulers }) => schedulers.length === 1);
  expect(load.ended()).toBe(0);
  await gateway.pod('parked').faults({});
  expect(failures(await load.outcomes)).toEqual([]);
});

test('a file that is broken by an edit changes nothing until it is mended', async () => {
  const load = startLoad({ url: gateway.url, model: 'llama', concurrency: 4 });
  const before = gateway.local.state();
  const file = join(gateway.folder, 'more.yaml');
  await writeFile(file, 'kind: [InferenceGatewayConfig\n');
  await until('the fault is told', () => gateway.logs.some((line) => line.includes('more.yaml:')));

  // A valid edit beside it waits as well: only whole valid sets of objects count.
  await gateway.writeConfig([LLAMA, QWEN]);
  await until('the edit is read', async () => (await statusOf('llama')) === 200);
  expect(gateway.local.state()).toBe(before);
  expect(await statusOf('qwen')).toBe(404);

  await rm(file);
  await untilInForce('the edit', ({ schedulers }) => schedulers.length === 2);
  expect(await statusOf('qwen')).toBe(200);
  load.stop();
  expect(failures(await load.outcomes)).toEqual([]);
});
