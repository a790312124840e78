import OpenAI, { APIError, BadRequestError, InternalServerError, NotFoundError, RateLimitError, toFile } from 'openai';
import { startTestGateway, type TestGateway } from './support/gateway';
import { ADAPTERS, BASE_MODEL, EMPTY_MODEL, MODEL_FLEET, SMALL_MODEL } from './support/model-fleet';
import { readings } from './support/readings';
import { whileSaturated } from './support/saturate';

/** The official client with another base URL, and nothing else changed. Tests of errors see the first answer. */
let client: OpenAI;
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway(MODEL_FLEET);
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 });
});
afterAll(() => gateway?.close());

/** An answer of so many tokens outlasts any test. */
const LONG = 100_000;

const messages = [{ role: 'user' as const, content: 'Why is my pod pending?' }];

/** What a call is refused with. */
async function refusal(call: Promise<unknown>): Promise<APIError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

test('a chat completion', async () => {
  const answer = await client.chat.completions.create({ model: BASE_MODEL, messages, max_tokens: 5 });
  expect(answer).toMatchObject({
    object: 'chat.completion',
    model: BASE_MODEL,
    choices: [{ finish_reason: 'length', message: { role: 'assistant', content: expect.stringMatching(/\w/) } }],
    usage: { completion_tokens: 5 },
  });
});

test('a streamed chat completion ends with its usage where the client asks for it', async () => {
  const stream = await client.chat.completions.create({
    model: BASE_MODEL,
    messages,
    max_tokens: 5,
    stream: true,
    stream_options: { include_usage: true },
  });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
  expect(text).toMatch(/\w/);
  expect(chunks.flatMap((chunk) => chunk.choices[0]?.finish_reason ?? [])).toEqual(['length']);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
});

test('tokens of a stream reach the client while later ones are not generated yet', async () => {
  const request = { model: BASE_MODEL, messages, max_tokens: LONG, stream: true } as const;
  const stream = await client.chat.completions.create({ ...request, ...{ ignore_eos: true } });
  let arrivals = 0;
  for await (const chunk of stream) {
    if ((chunk.choices[0]?.delta.content ?? '') === '') continue;
    arrivals += 1;
    if (arrivals === 1) await gatewayIsServing();
    if (arrivals === 3) break;
  }
  expect(arrivals).toBe(3);
});

/** The stream that has begun is still in flight. */
async function gatewayIsServing(): Promise<void> {
  const inFlight = readings(await gateway.metrics(), 'inference_pool_per_pod_in_flight_requests');
  expect(Math.max(...inFlight)).toBe(1);
}

test('a text completion, whole and streamed', async () => {
  const request = { model: BASE_MODEL, prompt: 'Once upon a time', max_tokens: 4 };
  const whole = await client.completions.create(request);
  let streamed = '';
  for await (const chunk of await client.completions.create({ ...request, stream: true })) {
    streamed += chunk.choices[0]?.text ?? '';
  }
  expect(whole.usage?.completion_tokens).toBe(4);
  expect(streamed).toBe(whole.choices[0]?.text);
});

test('embeddings, in the base64 form that the client asks for and decodes', async () => {
  const { data, model } = await client.embeddings.create({ model: BASE_MODEL, input: ['one', 'two'], dimensions: 8 });
  expect(model).toBe(BASE_MODEL);
  expect(data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
  expect(Math.hypot(...data[0]!.embedding)).toBeCloseTo(1, 3);
});

test('the Responses API, whole and streamed', async () => {
  const request = { model: BASE_MODEL, input: 'Why is my pod pending?', max_output_tokens: 4 };
  const whole = await client.responses.create(request);
  expect(whole.output_text).toMatch(/\w/);
  let streamed = '';
  for await (const event of await client.responses.create({ ...request, stream: true })) {
    if (event.type === 'response.output_text.delta') streamed += event.delta;
  }
  expect(streamed).toBe(whole.output_text);
});

test('a transcription, whose model is a part of a multipart body', async () => {
  const file = await toFile(Buffer.alloc(64_000, 1), 'speech.wav');
  const { text } = await client.audio.transcriptions.create({ model: BASE_MODEL, file });
  expect(text).toMatch(/\w/);
});

test('an image', async () => {
  const { data } = await client.images.generate({ model: BASE_MODEL, prompt: 'a pod' });
  expect(data?.[0]?.b64_json).toMatch(/^iVBOR/);
});

test.each(ADAPTERS)('the adapter %s is served under its own name by the pods of its base model', async (adapter) => {
  const { data, response } = await client.chat.completions
    .create({ model: adapter, messages, max_tokens: 2 })
    .withResponse();
  expect(data.model).toBe(adapter);
  expect([gateway.address('llama-0'), gateway.address('llama-1')]).toContain(
    response.headers.get('x-gateway-destination-endpoint-served'),
  );
});

test('models.list gives all models and adapters, with the base model as parent', async () => {
  const listed = new Map<string, unknown>();
  for await (const model of client.models.list()) listed.set(model.id, { parent: null, ...model }.parent);
  expect(Object.fromEntries(listed)).toEqual({
    [BASE_MODEL]: null,
    [SMALL_MODEL]: null,
    [EMPTY_MODEL]: null,
    [ADAPTERS[0]]: BASE_MODEL,
    [ADAPTERS[1]]: BASE_MODEL,
  });
});

test.each([BASE_MODEL, ADAPTERS[0]])('models.retrieve finds %s', async (model) => {
  expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' });
});

test('models.retrieve of an unknown model is a NotFoundError', async () => {
  const error = await refusal(client.models.retrieve('nobody'));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({ code: 'model_not_found', param: 'model' });
});

test('a request for an unknown model is a NotFoundError whose message says what to do', async () => {
  const error = await refusal(client.chat.completions.create({ model: 'nobody', messages }));
  expect(error).toBeInstanceOf(NotFoundError);
  expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model', type: 'invalid_request_error' });
  expect(error.message).toContain(
    'no matching model: set the model in the request body or the x-gateway-model-name header',
  );
  expect(error.requestID).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['no model', undefined, 'missing_model'],
  ['a number as model', 7, 'model_not_string'],
])('a request with %s is a BadRequestError', async (_title, model, code) => {
  const error = await refusal(client.chat.completions.create({ model: model as unknown as string, messages }));
  expect(error).toBeInstanceOf(BadRequestError);
  expect(error).toMatchObject({ code, param: 'model', type: 'invalid_request_error' });
});

test("the model server's own refusal reaches the client as it is", async () => {
  const error = await refusal(client.chat.completions.create({ model: BASE_MODEL, messages, max_tokens: 1e7 }));
  expect(error).toBeInstanceOf(BadRequestError);
  expect(error.message).toContain('maximum context length');
});

test('a model whose pods are all saturated is a RateLimitError that says when to come back', async () => {
  const error = await whileSaturated(gateway.url, SMALL_MODEL, () =>
    refusal(client.chat.completions.create({ model: SMALL_MODEL, messages, max_tokens: 1 })),
  );
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ status: 429, code: 'pool_saturated', type: 'rate_limit_error' });
  expect(Number(error.headers?.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

test('a model without a ready pod is an InternalServerError with status 503 that may be tried again', async () => {
  const error = await refusal(client.chat.completions.create({ model: EMPTY_MODEL, messages }));
  expect(error).toBeInstanceOf(InternalServerError);
  expect(error).toMatchObject({ status: 503, code: 'no_endpoints' });
  expect(Number(error.headers?.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

test("the client's own retries carry a request over until a pod is ready", async () => {
  const patient = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 5 });
  const answer = patient.chat.completions.create({ model: EMPTY_MODEL, messages, max_tokens: 1 });
  await gateway.startAbsent('empty-0');
  await gateway.writeReady({ 'empty-0': true });
  expect((await answer).model).toBe(EMPTY_MODEL);
});

test('a client that goes away releases its request', async () => {
  const controller = new AbortController();
  const request = { model: BASE_MODEL, messages, max_tokens: LONG, stream: true } as const;
  const stream = await client.chat.completions.create(
    { ...request, ...{ ignore_eos: true } },
    { signal: controller.signal },
  );
  for await (const _ of stream) break;
  controller.abort();
  await gateway.untilIdle();
});
