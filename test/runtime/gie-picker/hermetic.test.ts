import type { GatewayState, SchedulerState } from '../../../lib/translate/gateway-state';
import {
  engineMetrics,
  gatewayState,
  NO_WEIGHTS,
  type PickerRig,
  pickerRig,
  residency,
  schedulerState,
} from '../endpoint-picker/support/fixtures';
import { type Message, requestMessages, routed } from './grpc-proxy';
import { responseMessages, startRig } from './rig';

/** The pool of the cases, its real picker, and what a proxy says to it over real gRPC. */
async function startPool(change: Partial<SchedulerState> = {}, fields: Partial<GatewayState> = {}) {
  const scheduler = schedulerState(change);
  const state = { ...gatewayState(scheduler), ...fields };
  const pool = pickerRig(scheduler);
  pool.metrics.tellAll(engineMetrics());
  const rig = await startRig({ picker: pool.picker, state });
  return { ...rig, pool, state };
}

/** Gives pods their metrics, in order. */
function tell(pool: PickerRig, ...metrics: ReadonlyArray<Parameters<typeof engineMetrics>[0]>) {
  for (const [index, change] of metrics.entries()) pool.metrics.tell(`models/llama-${index}`, engineMetrics(change));
}

const address = (index: number) => `10.0.0.${index}:8000`;
const chat = (model: string) => JSON.stringify({ model, messages: [{ role: 'user', content: 'hello' }] });
const inFlight = ({ pool }: { pool: PickerRig }) =>
  pool.picker.status().flatMap(({ pods }) => pods.map((pod) => pod.inFlight));
const inFlightSum = (started: { pool: PickerRig }) => inFlight(started).reduce((sum, count) => sum + count, 0);

/** The HTTP status and the error code of an immediate answer. */
function refusal(answers: readonly Message[]): string {
  const { immediateResponse } = answers[0];
  const { error } = JSON.parse(immediateResponse.body.toString());
  return `${immediateResponse.status.code} ${error.code}`;
}

test('a pod that has the adapter wins over one with a freer KV cache', async () => {
  await using pool = await startPool({ weights: { ...NO_WEIGHTS, kvCache: 1, loraAffinity: 3 } });
  tell(
    pool.pool,
    { kvUsage: 0.1, adapters: residency([], 4) },
    { kvUsage: 0.1, adapters: residency([], 4) },
    { kvUsage: 0.6, adapters: residency(['sql-lora'], 4) },
    { kvUsage: 0.2, adapters: residency([], 4) },
  );

  const answer = routed(await pool.ask({ body: [chat('sql-lora')] }));

  expect(answer.destination!.split(',')[0]).toBe(address(2));
  expect(answer.metadata).toBe(answer.destination);
});

test('a body that is no JSON goes on unread, byte for byte', async () => {
  await using pool = await startPool();
  const bytes = Buffer.from([0, 0, 0, 0, 5, 0xff, 0xfe, 0x7b, 0x22, 0x80]);

  const { stream, answers } = await pool.request({ headers: { 'content-type': 'application/grpc' }, body: [bytes] });

  expect(routed(answers).destination).toMatch(/^10\.0\.0\.\d:8000/);
  expect(answers[1].requestBody.response.bodyMutation.streamedResponse.body.equals(bytes)).toBe(true);
  stream.end();
});

test('a busy pool sheds nothing by default', async () => {
  await using pool = await startPool();
  pool.pool.metrics.tellAll(engineMetrics({ waiting: 12, running: 200, kvUsage: 0.95 }));

  expect(routed(await pool.ask({ body: [chat('llama')] })).destination).toMatch(/^10\.0\.0\.\d:8000/);
});

test('JSON that is broken is refused with 400', async () => {
  await using pool = await startPool();

  expect(refusal(await pool.ask({ body: ['no healthy upstream'] }))).toBe('400 invalid_json');
  expect(pool.heard).toContain('refused invalid_json');
});

test('a body split over chunks is read as one, and nothing is answered before its end', async () => {
  await using pool = await startPool();
  const body = chat('llama');
  const stream = pool.proxy.open();
  const [headers, first, second] = requestMessages({ body: [body.slice(0, 20), body.slice(20)] });
  let answered = false;
  const answer = stream.next().then((message) => {
    answered = true;
    return message;
  });
  stream.send(headers);
  stream.send(first);
  // Another stream's whole request is answered meanwhile.
  await pool.ask({ body: [body] });
  expect(answered).toBe(false);
  stream.send(second);

  expect((await answer).response).toBe('requestHeaders');
  expect((await stream.next()).requestBody.response.bodyMutation.streamedResponse.body.toString()).toBe(body);
  stream.end();
});

test('a pool without pods is answered with 503', async () => {
  await using pool = await startPool({ endpoints: [] });

  expect(refusal(await pool.ask({ body: [chat('llama')] }))).toBe('503 no_endpoints');
  expect(refusal(await pool.ask({}))).toBe('503 no_endpoints');
});

test('JSON without a model is refused with 400', async () => {
  await using pool = await startPool();

  expect(refusal(await pool.ask({ body: ['{"messages":[]}'] }))).toBe('400 missing_model');
});

test('of a subset the best pod is chosen', async () => {
  await using pool = await startPool({ weights: { ...NO_WEIGHTS, kvCache: 1 } });
  tell(pool.pool, { kvUsage: 0 }, { kvUsage: 0.9 }, { kvUsage: 0.3 }, { kvUsage: 0.8 });

  const answer = routed(await pool.ask({ body: [chat('llama')], subset: [1, 2, 3].map(address) }));

  expect(answer.destination!.split(',')[0]).toBe(address(2));
  expect(answer.destination).not.toContain(address(0));
});

test('a subset that the pool holds in part is taken for that part', async () => {
  await using pool = await startPool();

  expect(routed(await pool.ask({ body: [chat('llama')], subset: ['10.9.9.9:8000', address(3)] })).destination).toBe(
    address(3),
  );
});

test('a subset of which the pool holds none is answered with 503', async () => {
  await using pool = await startPool();

  expect(refusal(await pool.ask({ body: [chat('llama')], subset: ['10.9.9.9:8000'] }))).toBe('503 no_endpoints');
});

test('a model that no object names goes to the pool as it is', async () => {
  await using pool = await startPool();
  const body = chat('my-model-12345');

  const answer = routed(await pool.ask({ body: [body] }));

  expect(answer).toMatchObject({ body, headers: { 'content-length': String(body.length) }, clearsRoute: true });
  expect(pool.heard).toEqual(['routed other']);
});

test('a rewrite changes the model on the way there and back', async () => {
  const rewrites = [
    { name: 'models/r', scheduler: 'models/llama', models: ['alias'], targets: [{ model: 'llama', weight: 1 }] },
  ];
  await using pool = await startPool({}, { rewrites });
  const { stream, answers } = await pool.request({ body: ['{"seed":9007199254740993,"model":"alias","prompt":"x"}'] });
  expect(routed(answers).body).toBe('{"seed":9007199254740993,"model":"llama","prompt":"x"}');

  for (const message of responseMessages({ 'content-type': 'application/json' }, ['{"id":1,"mod', 'el":"llama"}'])) {
    stream.send(message);
  }
  stream.end();

  const back = (await stream.rest())
    .slice(1)
    .map(({ responseBody }) => responseBody.response.bodyMutation.streamedResponse);
  expect(Buffer.concat(back.map(({ body }) => body)).toString()).toBe('{"id":1,"model":"alias"}');
  expect(back.map(({ endOfStream }) => endOfStream)).toEqual([...back.slice(1).map(() => false), true]);
  expect(pool.heard).toEqual(['routed llama from alias']);
});

test('a GET without a body is answered at once, with a pod and without a body', async () => {
  await using pool = await startPool();

  const answers = await pool.ask({ headers: { ':path': '/v1/models' } });

  expect(answers).toHaveLength(1);
  expect(routed(answers)).toMatchObject({ destination: expect.stringMatching(/^10\.0\.0\.\d:8000/), pieces: [] });
});

describe('a response', () => {
  const respond = async (headers: Record<string, string>, chunks: readonly string[]) => {
    await using pool = await startPool();
    const { stream } = await pool.request({ body: [chat('llama')] });
    expect(inFlightSum(pool)).toBe(1);
    for (const message of responseMessages(headers, chunks)) stream.send(message);
    stream.end();
    const [head, ...pieces] = await stream.rest();
    expect((await stream.status).code).toBe(0);
    expect(inFlightSum(pool)).toBe(0);
    const streamed = pieces.map(({ responseBody }) => responseBody.response.bodyMutation.streamedResponse);
    return {
      head: head.response,
      pieces: streamed.map(({ body }) => body.toString()),
      ends: streamed.map(({ endOfStream }) => endOfStream),
      used: pool.used.map(({ usage }) => usage),
    };
  };
  const JSON_TYPE = { 'content-type': 'application/json' };

  test('of JSON in several chunks passes chunk by chunk, and its usage is read', async () => {
    const chunks = [
      '{"usage":{"prompt_tok',
      'ens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}',
      '}',
    ];

    expect(await respond(JSON_TYPE, chunks)).toEqual({
      head: 'responseHeaders',
      pieces: chunks,
      ends: [false, false, true],
      used: [{ input: 7, output: 3, cached: 4 }],
    });
  });

  test('that is called JSON and is none passes unchanged', async () => {
    expect(await respond(JSON_TYPE, ['no healthy upstream'])).toMatchObject({
      pieces: ['no healthy upstream'],
      used: [],
    });
  });

  test('whose end is an empty chunk ends with an empty piece', async () => {
    expect(await respond(JSON_TYPE, ['{"usage":{"input_tokens":1}}', ''])).toMatchObject({
      pieces: ['{"usage":{"input_tokens":1}}', ''],
      ends: [false, true],
      used: [{ input: 1 }],
    });
  });

  test('of server-sent events has its tokens counted, wherever the chunks are cut', async () => {
    const chunks = [
      'data: {"choices":[{"delta":{"content":"\\"usage\\":{"}}],"usage":null}\n\n',
      'data: {"choices":[],"us',
      'age":{"prompt_tokens":11,"completion_tokens":5,"total_tokens":16}}\n',
      '\ndata: [DONE]\n\n',
    ];

    expect(await respond({ 'content-type': 'text/event-stream' }, chunks)).toMatchObject({
      pieces: chunks,
      used: [{ input: 11, output: 5 }],
    });
  });
});
