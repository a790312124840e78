import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { until } from '../support/until';
import { rewriteObject, startTestGateway, type TestGateway } from './support/gateway';
import { type ScriptedPod, startScriptedPod } from './support/scripted-pod';
import { chatBody, send } from './support/send';
import { routerAnswers } from './support/without-router';

const CHAT = '/v1/chat/completions';
const messages = [{ role: 'user' as const, content: 'hello' }];

let gateway: TestGateway;
let client: OpenAI;
let scripted: ScriptedPod;
/** What the scripted pod answers with. */
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: [
      { name: 'stable', modelName: 'stable' },
      { name: 'canary', modelName: 'canary' },
      { name: 'scripted', modelName: 'target' },
    ],
    objects: [
      rewriteObject('canary', 'stable', 'stable', { stable: 95, canary: 5 }),
      rewriteObject('alias', 'stable', 'gpt-4o', { stable: 1 }),
      rewriteObject('long-alias', 'scripted', 'a-much-longer-alias', { target: 1 }),
    ],
    pods: [
      { name: 'stable-0', scheduler: 'stable', speed: 1000 },
      { name: 'canary-0', scheduler: 'canary', speed: 1000 },
      { name: 'scripted-0', scheduler: 'scripted', absent: true },
    ],
  });
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'none', maxRetries: 0 });
  scripted = await startScriptedPod(gateway.address('scripted-0'), (_request, response) => answer(response));
});
afterAll(async () => {
  await gateway?.close();
  await scripted?.close();
});

/** Twenty at a time. */
async function chats(count: number): Promise<{ model: string; served: string | null }[]> {
  const seen: { model: string; served: string | null }[] = [];
  const worker = async () => {
    while (count-- > 0) {
      const { data, response } = await client.chat.completions
        .create({ model: 'stable', messages, max_tokens: 1 })
        .withResponse();
      seen.push({ model: data.model, served: response.headers.get('x-gateway-destination-endpoint-served') });
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  return seen;
}

test('a 95/5 canary in pods of its own gets about its share, and no client sees it by the model named', async () => {
  const seen = await chats(400);
  const byPod = (pod: string) => seen.filter(({ served }) => served === gateway.address(pod)).length;
  expect(byPod('stable-0') + byPod('canary-0')).toBe(400);
  // Of 400 draws at 5 % fewer than 4 or more than 45 come once in 100,000 runs.
  expect(byPod('canary-0')).toBeGreaterThanOrEqual(4);
  expect(byPod('canary-0')).toBeLessThanOrEqual(45);
  expect(new Set(seen.map(({ model }) => model))).toEqual(new Set(['stable']));
});

test('each pod of a canary gets the model that it serves, in the body and in the header', async () => {
  for (const pod of ['stable', 'canary']) {
    const requests = await gateway.pod(`${pod}-0`).requests();
    const named = requests.map(({ model, headers }) => [model, headers['x-gateway-model-name']]);
    expect([pod, ...new Set(named.flat())]).toEqual([pod, pod]);
  }
});

test('an alias is served, and streamed under its own name', async () => {
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, max_tokens: 4, stream: true });
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(['gpt-4o']));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toMatch(/\w/);
});

test('a rewrite is applied once: what it names is not rewritten again', async () => {
  const before = await gateway.pod('canary-0').total();
  for (let index = 0; index < 40; index++) await send(gateway.url, CHAT, { body: chatBody('gpt-4o') });
  expect(await gateway.pod('canary-0').total()).toBe(before);
});

test('only the bytes of the model change in the request', async () => {
  answer = (response) => response.end('{}');
  const body = (model: string) =>
    `{ "seed" : 9223372036854775807,"messages":[{"content":"a-much-longer-alias \\u00e9","role":"user"}],\n "model" :  "${model}" , "zz":1.0E+00}`;
  await send(gateway.url, CHAT, { body: body('a-much-longer-alias') });
  expect(scripted.requests.at(-1)?.body).toBe(body('target'));
});

/** Texts that hold the target's name where it is no field of the answer's model. */
const CONTENT = 'I am target, and \\"model\\":\\"target\\" is no field; {\\"model\\": \\"target\\"}';

test('in a JSON answer the model is set back, and a text that names the target stays', async () => {
  const body = (model: string) =>
    `{"id":"1","choices":[{"message":{"content":"${CONTENT}"}}],\n "model" : "${model}" ,"usage":{"total_tokens":9007199254740993}}`;
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body('target').length });
    response.end(body('target'));
  };
  const received = await send(gateway.url, CHAT, { body: chatBody('a-much-longer-alias') });
  expect(received.body.toString()).toBe(body('a-much-longer-alias'));
});

test.each([1, 7, 64])(
  'in a stream cut into pieces of %d bytes every model is set back, and nothing else',
  async (size) => {
    const events = (model: string) =>
      [
        `data: {"id":"1","model":"${model}","choices":[{"delta":{"content":"${CONTENT}"}}]}`,
        ': a comment with "model":"target"',
        `data: {"choices":[{"delta":{"content":"😀 target"}}], "model" : "${model}"}`,
        'data: [DONE]',
        '',
      ].join('\n\n');
    const bytes = Buffer.from(events('target'));
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let at = 0;
      const next = () => {
        if (at >= bytes.length) return void response.end();
        response.write(bytes.subarray(at, at + size));
        at += size;
        setImmediate(next);
      };
      next();
    };
    const received = await send(gateway.url, CHAT, { body: chatBody('a-much-longer-alias', { stream: true }) });
    expect(received.body.toString()).toBe(events('a-much-longer-alias'));
  },
);

test('a compressed answer is not asked for where the model must be set back', async () => {
  answer = (response) => response.end('{}');
  const headers = { 'accept-encoding': 'gzip' };
  await send(gateway.url, CHAT, { body: chatBody('a-much-longer-alias'), headers });
  await send(gateway.url, CHAT, { body: chatBody('target'), headers });
  expect(scripted.requests.slice(-2).map((received) => received.headers['accept-encoding'])).toEqual([
    undefined,
    'gzip',
  ]);
});

/** A streamed answer as it comes. */
async function openStream(model: string) {
  const { hostname, port } = new URL(gateway.url);
  const outgoing = request({ hostname, port, path: CHAT, method: 'POST', agent: false });
  outgoing.end(chatBody(model, { stream: true }));
  const [response] = await once(outgoing, 'response');
  let text = '';
  response.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  return { text: () => text, over: once(response, 'end') };
}

test('only an answer whose model is set back goes through the router', async () => {
  const responses: ServerResponse[] = [];
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"n":1}\n\n');
    responses.push(response);
  };
  const rewritten = await openStream('a-much-longer-alias');
  const plain = await openStream('target');
  await until('both streams have begun', () => rewritten.text() !== '' && plain.text() !== '');

  gateway.signalAll('router', 'SIGSTOP');
  try {
    for (const response of responses) response.write('data: {"n":2}\n\n');
    await until('the plain stream goes on', () => plain.text().includes('"n":2'));
    expect(rewritten.text()).not.toContain('"n":2');
  } finally {
    gateway.signalAll('router', 'SIGCONT');
  }
  await until('the rewritten stream goes on', () => rewritten.text().includes('"n":2'));
  for (const response of responses) response.end();
  await Promise.all([rewritten.over, plain.over, routerAnswers(gateway)]);
});
