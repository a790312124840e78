import { MAX_BLOCKS } from '../../runtime/body-router/prefix/block-hashes';
import { engineMetrics, schedulerState } from '../runtime/endpoint-picker/support/fixtures';
import { destinationsOf, refusal, routed, type WholeRouter, wholeRouter } from './support/whole-router';

const REWRITE = {
  rewrites: [
    { name: 'models/alias', scheduler: 'models/llama', models: ['alias'], targets: [{ model: 'llama', weight: 1 }] },
  ],
};

function serving(whole = {}): WholeRouter {
  const router = wholeRouter({ adapters: ['sql'] }, whole);
  router.rig.metrics.tellAll(engineMetrics());
  return router;
}

async function bodySent(router: WholeRouter, body: string, headers = {}): Promise<string | undefined> {
  const answer = routed(await router.send(headers, body).answer);
  return answer.body && Buffer.concat(answer.body.chunks).toString();
}

test('integers beyond what a double holds, in any place, survive a rewrite byte for byte', async () => {
  const body = (model: string) =>
    `{"seed":9007199254740993,"n":-9223372036854775808,"model":"${model}","logit_bias":{"1":1e400},"prompt":[18446744073709551615,1.0,-0,1E5]}`;
  expect(await bodySent(serving(REWRITE), body('alias'))).toBe(body('llama'));
});

test('order, spaces, escapes and repeated keys survive a rewrite', async () => {
  const body = (model: string) =>
    `\t{ "z" : 1 , "prompt":"\\u00e9\\/é\\ud83d\\ude00","a":{ },"a": [ ] ,"model"\n:\r"${model}","stream" :false }  `;
  expect(await bodySent(serving(REWRITE), body('alias'))).toBe(body('llama'));
});

test.each(['{"model":"llama","prompt":"a"}', ' {"prompt" : "a", "model":"sql" }\n'])(
  'a body that needs no change is not touched: %j',
  async (body) => {
    expect(await bodySent(serving(REWRITE), body)).toBeUndefined();
  },
);

describe('a prompt of 220 KiB', () => {
  const large = JSON.stringify({ model: 'llama', messages: [{ role: 'user', content: 'word '.repeat(45_056) }] });

  test('is hashed no further than the bound', async () => {
    const router = serving();
    await router.send({}, large).answer;
    await router.send({}, large.repeat(1).replace('word', 'WORD')).answer;
    expect(router.picks.map(({ prefixHashes }) => prefixHashes.length)).toEqual([MAX_BLOCKS, MAX_BLOCKS]);
    expect(router.picks[0]!.promptBytes).toBeGreaterThan(220 * 1024);
  });

  test('does not make the next request wait, however many come together', async () => {
    const router = serving();
    const order: string[] = [];
    const bodies = Array.from({ length: 20 }, () => JSON.parse(large));
    for (const body of bodies) body.messages.push({ role: 'user', content: 'x'.repeat(100_000) });
    const uploads = bodies.map((body) => router.send({}, JSON.stringify(body)).answer.then(() => order.push('large')));
    const small = router.send().answer.then(() => order.push('small'));
    await Promise.all([...uploads, small]);
    expect(order.indexOf('small')).toBeLessThanOrEqual(1);
  });
});

describe('every API is read by what its body holds, not by its path', () => {
  const turn = 'a question '.repeat(50);
  test.each([
    ['a chat', '/v1/chat/completions', { messages: [{ role: 'user', content: turn }] }],
    [
      'a chat in parts',
      '/v1/chat/completions',
      { messages: [{ role: 'user', content: [{ type: 'text', text: turn }] }] },
    ],
    ['a completion', '/v1/completions', { prompt: turn }],
    ['completions', '/v1/completions', { prompt: [turn, turn] }],
    ['a completion of token ids', '/v1/completions', { prompt: Array.from({ length: 400 }, (_, i) => i) }],
    ['a response', '/v1/responses', { instructions: 'be brief', input: turn }],
    ['embeddings', '/v1/embeddings', { input: [turn] }],
    ['a message', '/v1/messages', { system: 'be brief', messages: [{ role: 'user', content: turn }] }],
    ['a chat on a path of its own', '/anything/else', { messages: [{ role: 'user', content: turn }] }],
  ])('%s', async (_, path, fields) => {
    const router = serving();
    const answer = await router.send({ ':path': path }, JSON.stringify({ model: 'llama', ...fields })).answer;
    expect(destinationsOf(answer)).toHaveLength(3);
    expect(router.picks[0]!.promptBytes).toBeGreaterThan(500);
    expect(router.picks[0]!.prefixHashes.length).toBeGreaterThanOrEqual(2);
  });
});

test('a recording is sent by the model of its form, whatever bytes the file holds', async () => {
  const file = Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * 89) & 0x7f)).toString('latin1');
  const part = (disposition: string, value: string) =>
    `--x\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
  const body = `${part('name="file"; filename="a.wav"', file)}${part('name="model"', 'sql')}--x--\r\n`;
  const router = serving();
  expect(await bodySent(router, body, { 'content-type': 'multipart/form-data; boundary=x' })).toBeUndefined();
  expect(router.picks[0]).toMatchObject({ model: 'sql', adapter: 'sql' });
});

describe('a request without a body', () => {
  test.each(['GET', 'DELETE', 'HEAD', 'OPTIONS'])('%s is answered at its headers and routed', async (method) => {
    const answer = await serving().send({ ':method': method, ':path': '/v1/responses/r1' }, '').answer;
    expect(destinationsOf(answer)).toHaveLength(3);
  });
});

test('no answer sets or removes a pseudo header, or a name or value that HTTP does not allow', async () => {
  const router = wholeRouter(
    { adapters: ['sql'], modelName: 'llama' },
    { ...REWRITE, defaultBackend: { name: 'elsewhere', port: 80 } },
  );
  router.rig.metrics.tellAll(engineMetrics());
  const { modelName: _, ...anyModel } = schedulerState();
  const catchAll = wholeRouter({}, { schedulers: [anyModel] });
  catchAll.rig.metrics.tellAll(engineMetrics());
  const strange = '"a\\r\\nx-evil: 1"';
  const answers = await Promise.all([
    router.send({ 'x-gateway-explain': '1' }).answer,
    router.send({ 'accept-encoding': 'gzip', 'x-prefiller-url': 'http://x' }, '{"model":"alias"}').answer,
    router.send({}, `{"model":${strange}}`).answer,
    catchAll.send({}, `{"model":${strange}}`).answer,
    catchAll.send({}, '{"model":"modèle"}').answer,
    router.send({}, '{').answer,
    router.send({ ':method': 'GET', ':path': '/v1/models' }, '').answer,
    router.send({ ':method': 'GET', ':path': '/x' }, '').answer,
  ]);
  for (const answer of answers) {
    const set = answer.kind === 'immediate' ? answer.headers : (routed(answer).setHeaders ?? []);
    const removed = answer.kind === 'immediate' ? [] : (routed(answer).removeHeaders ?? []);
    for (const name of [...set.map(([name]) => name), ...removed]) expect(name).toMatch(/^[a-z0-9!#$%&'*+.^_`|~-]+$/);
    for (const [, value] of set) expect(value).toMatch(/^[\x20-\x7e]*$/);
  }
});

test('the name of an objective is never taken for a model, nor does it rewrite one', async () => {
  const router = wholeRouter({ objectives: [{ name: 'alias', priority: -1 }] });
  router.rig.metrics.tellAll(engineMetrics());
  const headers = { 'x-gateway-inference-objective': 'alias' };
  await router.send(headers).answer;
  expect(router.picks[0]!.model).toBe('llama');
  expect(refusal(await router.send(headers, '{"model":"alias"}').answer)).toMatchObject({ status: 404 });
});
