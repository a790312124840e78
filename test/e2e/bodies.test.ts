import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:http2';
import { startTestGateway, type TestGateway } from './support/gateway';
import { chatBody, type Sent, send } from './support/send';

const MODEL = 'model-a';
const CHAT = '/v1/chat/completions';
const MIB = 1024 * 1024;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: [
      { name: 'a', modelName: MODEL, loraAdapters: ['adapter-a'] },
      { name: 'b', modelName: 'model-b' },
    ],
    pods: [
      { name: 'a-0', scheduler: 'a', adapters: ['adapter-a'] },
      { name: 'b-0', scheduler: 'b' },
    ],
  });
});
afterAll(() => gateway?.close());

/** The request as it reached the model server; rejects unless exactly one did. */
async function arrival(path: string, sent: Sent) {
  const pod = gateway.pod('a-0');
  const before = await pod.total();
  const answer = await send(gateway.url, path, sent);
  expect(await pod.total()).toBe(before + 1);
  return { answer, request: (await pod.requests()).at(-1)! };
}

function sha256(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

/** A valid chat body of exactly so many bytes. */
function bodyOfSize(bytes: number): Buffer {
  const empty = chatBody(MODEL, { pad: '' });
  return Buffer.from(chatBody(MODEL, { pad: 'x'.repeat(bytes - empty.length) }));
}

function inChunks(body: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(body.length / size) }, (_, index) =>
    body.subarray(index * size, (index + 1) * size),
  );
}

const SIZES = [120, 4_096, 65_535, 65_536, 65_537, MIB, 20 * MIB] as const;

test.each(SIZES)('a body of %d bytes reaches the model server as it was sent', async (size) => {
  const body = bodyOfSize(size);
  const { answer, request } = await arrival(CHAT, { body });
  expect(answer.status).toBe(200);
  expect(request).toMatchObject({ bytes: size, sha256: sha256(body) });
});

test.each(SIZES)('a chunked body of %d bytes reaches the model server as it was sent', async (size) => {
  const body = bodyOfSize(size);
  const { answer, request } = await arrival(CHAT, { body: inChunks(body, Math.ceil(size / 37)) });
  expect(answer.status).toBe(200);
  expect(request).toMatchObject({ bytes: size, sha256: sha256(body) });
});

test('a body sent over HTTP/2 reaches the model server as it was sent', async () => {
  const body = bodyOfSize(MIB);
  const session = connect(gateway.url);
  const stream = session.request({ ':method': 'POST', ':path': CHAT, 'content-type': 'application/json' });
  const status = new Promise((resolve, reject) => {
    stream.once('response', (headers) => resolve(headers[':status']));
    stream.once('error', reject);
  });
  stream.end(body);
  expect(await status).toBe(200);
  session.destroy();
  expect((await gateway.pod('a-0').requests()).at(-1)?.sha256).toBe(sha256(body));
});

test.each([
  [
    'spaces',
    `\t{ "messages" : [ { "role":"user",  "content":"hi" } ] ,\r\n "max_tokens": 1,  "model" :  "${MODEL}"  } \n`,
  ],
  [
    'escapes',
    `{"mod\\u0065l":"mod\\u0065l-a","messages":[{"role":"user","content":"\\ud83d\\ude00 \\/ \\u00e9"}],"max_tokens":1}`,
  ],
  ['text beyond ASCII', `{"model":"${MODEL}","messages":[{"role":"user","content":"日本語 😀 é"}],"max_tokens":1}`],
  [
    'a 64-bit seed',
    `{"model":"${MODEL}","seed":9223372036854775807,"messages":[{"role":"user","content":"hi"}],"max_tokens":1}`,
  ],
  [
    'numbers as no printer writes them',
    `{"model":"${MODEL}","temperature":1.0E+00,"top_p":0.10,"messages":[{"role":"user","content":"hi"}],"max_tokens":1}`,
  ],
  [
    'keys in an order of their own',
    `{"max_tokens":1,"zz":1,"messages":[{"content":"hi","role":"user"}],"aa":2,"model":"${MODEL}"}`,
  ],
  [
    'other fields named model',
    `{"a":{"model":"x"},"messages":[{"role":"user","content":"\\"model\\":\\"y\\""}],"model":"${MODEL}","max_tokens":1}`,
  ],
  [
    'the same model twice',
    `{"model":"${MODEL}","messages":[{"role":"user","content":"hi"}],"max_tokens":1,"model":"${MODEL}"}`,
  ],
])('a body with %s reaches the model server as it was sent', async (_title, body) => {
  const { answer, request } = await arrival(CHAT, { body });
  expect(answer.status).toBe(200);
  expect(request.sha256).toBe(sha256(body));
});

test('a multipart upload of random bytes reaches the model server as it was sent', async () => {
  const part = (head: string) => Buffer.from(`--b0undary\r\ncontent-disposition: form-data; ${head}\r\n\r\n`);
  const body = Buffer.concat([
    part('name="file"; filename="speech.wav"'),
    randomBytes(3 * MIB),
    Buffer.from('\r\n'),
    part('name="model"'),
    Buffer.from(`${MODEL}\r\n--b0undary--\r\n`),
  ]);
  const headers = { 'content-type': 'multipart/form-data; boundary=b0undary' };
  const { answer, request } = await arrival('/v1/audio/transcriptions', { headers, body });
  expect(answer.status).toBe(200);
  expect(request).toMatchObject({ sha256: sha256(body), model: MODEL });
});

test.each([
  '/v1/chat/completions?api-version=2024-10-21&x=%2F%20&empty=',
  '/team-a/v1/chat/completions',
  '/openai/deployments/v2/v1/chat/completions?x=1',
])('the path %s reaches the model server as it was sent', async (path) => {
  const { answer, request } = await arrival(path, { body: chatBody(MODEL) });
  expect([answer.status, request.path]).toEqual([200, path]);
});

test.each([
  ['/v1/completions', { prompt: 'hi', max_tokens: 1 }],
  ['/v1/responses', { input: 'hi', max_output_tokens: 1 }],
  ['/v1/embeddings', { input: 'hi' }],
  ['/v1/messages', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 1 }],
  ['/v1/rerank', { query: 'hi', documents: ['a', 'b'] }],
  ['/v1/score', { text_1: 'a', text_2: 'b' }],
  ['/tokenize', { prompt: 'hi' }],
  ['/v1/images/generations', { prompt: 'hi' }],
])('%s is routed by the model in its body', async (path, fields) => {
  const { answer } = await arrival(path, { body: JSON.stringify({ ...fields, model: MODEL }) });
  expect(answer.status).toBe(200);
});

test.each(['/v1/models', '/team-a/v1/models?limit=10'])('GET %s lists the models of all schedulers', async (path) => {
  const { data } = (await send(gateway.url, path)).json();
  expect(data.map(({ id, parent }: Record<string, unknown>) => [id, parent])).toEqual([
    [MODEL, null],
    ['model-b', null],
    ['adapter-a', MODEL],
  ]);
});

test('GET /health and /ready answer without a model', async () => {
  const [health, ready] = await Promise.all([send(gateway.url, '/health'), send(gateway.url, '/ready')]);
  expect([health.status, health.json()]).toEqual([200, { status: 'ok' }]);
  expect([ready.status, ready.json()]).toMatchObject([200, { schedulers: { total: 2, ready: 2 } }]);
});

test('another GET is 404 where no one scheduler is meant', async () => {
  const answer = await send(gateway.url, '/version');
  expect([answer.status, answer.json().error.code]).toEqual([404, 'no_route']);
});

describe('once the limit is 1 MiB', () => {
  beforeAll(async () => {
    const spec = { bbr: { enabled: true, maxRequestBodyBytes: MIB } };
    await gateway.writeConfig([{ name: 'a', modelName: MODEL }], spec);
    await gateway.untilInForce('the new limit', ({ maxRequestBodyBytes }) => maxRequestBodyBytes === MIB);
  });

  test('a body of exactly the limit is served', async () => {
    const { answer } = await arrival(CHAT, { body: bodyOfSize(MIB) });
    expect(answer.status).toBe(200);
  });

  test.each([
    ['one byte more', MIB + 1, false],
    ['one byte more, chunked', MIB + 1, true],
    ['20 MiB', 20 * MIB, false],
  ])('a body of %s is refused with 413 as OpenAI JSON', async (_title, size, chunked) => {
    const body = bodyOfSize(size);
    const answer = await send(gateway.url, CHAT, { body: chunked ? inChunks(body, 65_536) : body });
    expect(answer.status).toBe(413);
    expect(answer.json().error).toMatchObject({ type: 'invalid_request_error', code: 'body_too_large' });
  });

  test('another GET goes to a ready pod, now that one scheduler is left', async () => {
    expect((await send(gateway.url, '/version')).json()).toEqual({ version: 'simulator' });
  });
});
