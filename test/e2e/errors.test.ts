import { randomUUID } from 'node:crypto';
import { IN_CLUSTER, startTestGateway, type TestGateway } from './support/gateway';
import { chatBody, type Received, type Sent, send } from './support/send';
import { withoutRouter } from './support/without-router';

const CHAT = '/v1/chat/completions';
const SCHEDULERS = [
  { name: 'a', modelName: 'model-a' },
  { name: 'gone', modelName: 'gone' },
  { name: 'empty', modelName: 'empty' },
  { name: 'frozen', modelName: 'frozen' },
  { name: 'late', modelName: 'late', routeTimeout: '1s' },
] as const;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: SCHEDULERS,
    spec: { observability: { explain: { enabled: true } }, overload: { emptyPoolHold: '0s' } },
    pods: [
      { name: 'a-0', scheduler: 'a' },
      // Ready by its object, and nothing listens there.
      { name: 'gone-0', scheduler: 'gone', absent: true },
      { name: 'empty-0', scheduler: 'empty', absent: true, ready: false },
      { name: 'frozen-0', scheduler: 'frozen', flags: ['--faults', '{"freeze":true}'] },
      { name: 'late-0', scheduler: 'late', flags: ['--faults', '{"freeze":true}'] },
    ],
    streamIdleTimeoutMs: 1_000,
  });
});
afterAll(() => gateway?.close());

/** What every answer of the gateway itself has. */
function expectOpenAiError(answer: Received, status: number, type: string, code: string, param: string | null = null) {
  expect(answer.json()).toEqual({ error: { message: expect.stringMatching(/^[A-Z].*\.$/s), type, code, param } });
  expect(answer.status).toBe(status);
  expect(answer.headers['content-type']).toBe('application/json');
  expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
}

const INVALID = 'invalid_request_error';

test.each<[string, Sent, string, string | null]>([
  ['of one byte', { body: 'x' }, 'invalid_json', null],
  ['of one brace', { body: '{' }, 'invalid_json', null],
  ['that is empty', { body: '' }, 'missing_model', 'model'],
  ['that is a JSON text but no object', { body: '[1]' }, 'invalid_json', null],
  ['that is cut short', { body: chatBody('model-a').slice(0, -1) }, 'invalid_json', null],
  ['with more after its end', { body: `${chatBody('model-a')}}` }, 'invalid_json', null],
  ['that is no UTF-8', { body: Buffer.from('{"model":"\xff"}', 'latin1') }, 'invalid_utf8', null],
  ['without a model', { body: '{}' }, 'missing_model', 'model'],
  ['with null as model', { body: '{"model":null}' }, 'model_not_string', 'model'],
  ['with two models', { body: '{"model":"model-a","model":"gone"}' }, 'duplicate_model', 'model'],
  [
    'of multipart form without its boundary',
    { body: 'x', headers: { 'content-type': 'multipart/form-data' } },
    'invalid_multipart',
    null,
  ],
])('a body %s is refused with 400', async (_title, sent, code, param) => {
  expectOpenAiError(await send(gateway.url, CHAT, sent), 400, INVALID, code, param);
});

test('an unknown model is refused with 404', async () => {
  const answer = await send(gateway.url, CHAT, { body: chatBody('nobody') });
  expectOpenAiError(answer, 404, INVALID, 'model_not_found', 'model');
});

test('a model name that would break a header or a log line is told back as JSON, and nowhere else', async () => {
  const model = 'a"\r\nx-forged: 1\u0000\u2028';
  const answer = await send(gateway.url, CHAT, { body: chatBody(model) });
  expectOpenAiError(answer, 404, INVALID, 'model_not_found', 'model');
  expect(answer.json().error.message).toContain(model);
  expect(answer.headers['x-forged']).toBeUndefined();
});

test('a model without a ready pod is refused with 503', async () => {
  const answer = await send(gateway.url, CHAT, { body: chatBody('empty') });
  expectOpenAiError(answer, 503, 'service_unavailable', 'no_endpoints');
  expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
});

test('a pod that cannot be reached is told as 503', async () => {
  const answer = await send(gateway.url, CHAT, { body: chatBody('gone') });
  expectOpenAiError(answer, 503, 'service_unavailable', 'service_unavailable');
});

test("a pod that takes longer than its scheduler's routeTimeout is told as 504", async () => {
  const answer = await send(gateway.url, CHAT, { body: chatBody('late') });
  expectOpenAiError(answer, 504, 'server_error', 'gateway_timeout');
});

// In a cluster that time-out is ten minutes.
if (!IN_CLUSTER) {
  test('a pod that moves no byte until the idle time-out is told as 504', async () => {
    const answer = await send(gateway.url, CHAT, { body: chatBody('frozen') });
    expectOpenAiError(answer, 504, 'server_error', 'gateway_timeout');
  });
}

test('while the router is dead every request is told so with 503', async () => {
  const answer = await withoutRouter(gateway, () => send(gateway.url, CHAT, { body: chatBody('model-a') }));
  expectOpenAiError(answer, 503, 'service_unavailable', 'router_unavailable');
});

test("a model server's error goes through as it is, with the pod that gave it", async () => {
  await gateway.pod('a-0').faults({ error: 500 });
  const answer = await send(gateway.url, CHAT, { body: chatBody('model-a') });
  await gateway.pod('a-0').faults({});
  expect([answer.status, answer.json().error.message]).toEqual([500, 'fault on command']);
  expect(answer.headers).toMatchObject({
    'x-request-id': expect.any(String),
    'x-gateway-destination-endpoint-served': gateway.address('a-0'),
  });
});

test.each(['whole', 'streamed'])('a %s answer carries its request id and the pod that served', async (form) => {
  const answer = await send(gateway.url, CHAT, { body: chatBody('model-a', { stream: form === 'streamed' }) });
  expect(answer.headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-gateway-destination-endpoint-served': gateway.address('a-0'),
  });
});

test('every request gets an id of its own, whatever the client sent', async () => {
  const mine = randomUUID();
  const ids = await Promise.all(
    [0, 1].map(async () => (await send(gateway.url, '/v1/models', { headers: { 'x-request-id': mine } })).headers),
  );
  expect(new Set([mine, ...ids.map((headers) => headers['x-request-id'])]).size).toBe(3);
});

describe('x-gateway-decision', () => {
  const ask = { 'x-gateway-explain': '1' };
  const decision = async (headers: Record<string, string>) =>
    (await send(gateway.url, CHAT, { body: chatBody('model-a'), headers })).headers['x-gateway-decision'];

  test('tells the scores of the pods to a request that asks', async () => {
    expect(await decision(ask)).toMatch(/^a-0 [\d.]+ \(queue [\d.]+ .*\)$/);
  });

  test.each([{}, { 'x-gateway-explain': '0' }])('is not there for a request with %j', async (headers) => {
    expect(await decision(headers)).toBeUndefined();
  });

  test('is not there where the configuration does not allow it', async () => {
    await gateway.writeConfig(SCHEDULERS, {});
    await gateway.untilInForce('explain is off', ({ explain }) => !explain);
    expect(await decision(ask)).toBeUndefined();
  });
});
