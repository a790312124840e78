import { createHash } from 'node:crypto';
import OpenAI from 'openai';
import { collect, eventually, json, metric, post, requestLog, withServer } from './with-server';

interface Ranking {
  readonly results: { index: number; relevance_score: number }[];
}
interface Scores {
  readonly data: { index: number; score: number }[];
}
interface Refusal {
  readonly error: { message: string };
}

const MESSAGES = [{ role: 'user' as const, content: 'Tell me of the sea, slowly and at length, please. '.repeat(8) }];

test('chat through the official client: text, finish reason and usage fit together', () =>
  withServer({}, async (_server, client) => {
    const answer = await client.chat.completions.create({ model: 'base', messages: MESSAGES, max_tokens: 7 });
    expect(answer.model).toBe('base');
    expect(answer.choices[0]!.message.content!.split(' ')).toHaveLength(7);
    expect(answer.choices[0]!.finish_reason).toBe('length');
    expect(answer.usage).toMatchObject({ completion_tokens: 7, total_tokens: answer.usage!.prompt_tokens + 7 });
  }));

test('a streamed chat tells the same text, then usage when asked', () =>
  withServer({}, async (_server, client) => {
    const ask = { model: 'base', messages: MESSAGES };
    const whole = await client.chat.completions.create(ask);
    const stream = await client.chat.completions.create({
      ...ask,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collect(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]!.message.content,
    );
    expect(chunks.at(-2)!.choices[0]!.finish_reason).toBe('stop');
    expect(chunks.at(-1)!.choices).toEqual([]);
    expect(chunks.at(-1)!.usage!.completion_tokens).toBe(whole.usage!.completion_tokens);
  }));

test('the same request gets byte for byte the same answer, whatever the cache holds of it aside', () =>
  withServer({}, async (server) => {
    const ask = { model: 'base', prompt: 'short' };
    const first = await (await post(server, '/v1/completions', ask)).text();
    expect(await (await post(server, '/v1/completions', ask)).text()).toBe(first);
  }));

test('completions take lists of prompts and token ids', () =>
  withServer({}, async (_server, client) => {
    const answer = await client.completions.create({ model: 'base', prompt: ['one', 'two'], max_tokens: 3 });
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1]);
    const tokens = await client.completions.create({ model: 'base', prompt: [5, 6, 7], max_tokens: 3 });
    expect(tokens.usage!.prompt_tokens).toBe(3);
  }));

test('a streamed completion ends with usage and [DONE]', () =>
  withServer({}, async (server) => {
    const ask = { model: 'base', prompt: 'x', max_tokens: 2, stream: true, stream_options: { include_usage: true } };
    const frames = (await (await post(server, '/v1/completions', ask)).text()).trimEnd().split('\n\n');
    expect(frames).toHaveLength(5);
    expect(JSON.parse(frames[3]!.slice(6)).usage.completion_tokens).toBe(2);
    expect(frames[4]).toBe('data: [DONE]');
  }));

test('ignore_eos fills max_tokens exactly', () =>
  withServer({}, async (server) => {
    const ask = { model: 'base', prompt: 'x', max_tokens: 300, ignore_eos: true };
    expect(await json(post(server, '/v1/completions', ask))).toMatchObject({ usage: { completion_tokens: 300 } });
  }));

test('responses through the official client, whole and streamed', () =>
  withServer({}, async (_server, client) => {
    const whole = await client.responses.create({ model: 'base', input: 'hello' });
    const events = await collect(await client.responses.create({ model: 'base', input: 'hello', stream: true }));
    const last = events.at(-1)!;
    expect(last.type === 'response.completed' && last.response.usage).toEqual(whole.usage);
    const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect(deltas.join('')).toBe(whole.output_text);
  }));

test('embeddings through the official client: one unit vector an input, equal for equal text', () =>
  withServer({}, async (_server, client) => {
    const { data } = await client.embeddings.create({ model: 'base', input: ['a', 'b', 'a'], dimensions: 8 });
    expect(data[0]!.embedding).toEqual(data[2]!.embedding);
    expect(data[0]!.embedding).not.toEqual(data[1]!.embedding);
    expect(Math.hypot(...data[0]!.embedding)).toBeCloseTo(1, 5);
  }));

test('messages in Anthropic shape, whole and streamed', () =>
  withServer({}, async (server) => {
    const ask = { model: 'base', max_tokens: 4, messages: [{ role: 'user', content: 'hello' }] };
    const whole = await json<{ content: { text: string }[] }>(post(server, '/v1/messages', ask));
    expect(whole).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'max_tokens',
      usage: { output_tokens: 4 },
    });
    const text = await (await post(server, '/v1/messages', { ...ask, stream: true })).text();
    const events = text
      .trimEnd()
      .split('\n\n')
      .map((frame) => JSON.parse(frame.split('\ndata: ')[1]!));
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      ...new Array(4).fill('content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.map((event) => event.delta?.text ?? '').join('')).toBe(whole.content[0]!.text);
  }));

test('rerank sorts by relevance and keeps top_n; score keeps the order', () =>
  withServer({}, async (server) => {
    const ask = { model: 'base', query: 'q', documents: ['a', 'b', 'c'], top_n: 2 };
    const { results } = await json<Ranking>(post(server, '/v1/rerank', ask));
    expect(results).toHaveLength(2);
    expect(results[0]!.relevance_score).toBeGreaterThanOrEqual(results[1]!.relevance_score);
    const pairs = { model: 'base', text_1: 'q', text_2: ['a', 'b', 'c'] };
    const scored = await json<Scores>(post(server, '/score', pairs));
    expect(scored.data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(scored.data[results[0]!.index]!.score).toBe(results[0]!.relevance_score);
  }));

test('detokenize undoes tokenize', () =>
  withServer({}, async (server) => {
    const prompt = 'Grüße, 世界! 🙂 a b c';
    const { tokens, count } = await json<{ tokens: number[]; count: number }>(
      post(server, '/tokenize', { model: 'base', prompt }),
    );
    expect(tokens).toHaveLength(count);
    expect(await json(post(server, '/detokenize', { model: 'base', tokens }))).toEqual({ prompt });
  }));

test('a transcription reads the model part of a multipart body', () =>
  withServer({ adapters: ['voice'] }, async (server, client) => {
    const file = new File([new Uint8Array(64_000)], 'a.wav');
    const { text } = await client.audio.transcriptions.create({ model: 'voice', file });
    expect(text.split(' ')).toHaveLength(5);
    await expect(client.audio.transcriptions.create({ model: 'other', file })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    const { requests } = await requestLog(server);
    expect(requests.map(({ model }) => model)).toEqual(['voice', 'other']);
  }));

test('an image is a PNG', () =>
  withServer({}, async (_server, client) => {
    const { data } = await client.images.generate({ model: 'base', prompt: 'sea' });
    expect(Buffer.from(data![0]!.b64_json!, 'base64').subarray(1, 4).toString()).toBe('PNG');
  }));

test('the model list names adapters with their base as parent', () =>
  withServer({ adapters: ['ada'] }, async (server) => {
    const { data } = await json<{ data: { id: string; parent: string | null }[] }>(fetch(`${server.url}/v1/models`));
    expect(data.map(({ id, parent }) => [id, parent])).toEqual([
      ['base', null],
      ['ada', 'base'],
    ]);
  }));

test('an unknown model is 404 with vLLM-style JSON', () =>
  withServer({}, async (_server, client) => {
    const asking = client.chat.completions.create({ model: 'nope', messages: MESSAGES });
    await expect(asking).rejects.toMatchObject({
      status: 404,
      error: { type: 'NotFoundError', param: 'model', code: 404 },
    });
  }));

test.each([
  ['bad JSON', '/v1/chat/completions', '{"model"', 'JSON decode error'],
  ['no messages', '/v1/chat/completions', '{"model":"base"}', 'messages'],
  ['max_tokens 0', '/v1/completions', '{"model":"base","prompt":"x","max_tokens":0}', 'max_tokens'],
  ['a list as body', '/v1/embeddings', '[]', 'JSON object'],
  ['too many tokens', '/v1/completions', '{"model":"base","prompt":"x","max_tokens":200000}', 'maximum context length'],
])('%s is 400 and says why', (_name, path, body, message) =>
  withServer({}, async (server) => {
    const response = await post(server, path, body);
    expect(response.status).toBe(400);
    expect((await json<Refusal>(response)).error.message).toContain(message);
  }),
);

test('an unknown path is 404, a wrong method 405', () =>
  withServer({}, async (server) => {
    expect((await fetch(`${server.url}/v1/nothing`)).status).toBe(404);
    expect((await fetch(`${server.url}/v1/chat/completions`)).status).toBe(405);
  }));

test('a prefix before /v1 and a query string change nothing', () =>
  withServer({}, async (server) => {
    const response = await post(server, '/team/a/v1/completions?trace=1', { model: 'base', prompt: 'x' });
    expect(response.status).toBe(200);
  }));

test('a prompt of 5 MB is read and hashed, then refused as too long for the model', () =>
  withServer({}, async (server) => {
    const response = await post(server, '/v1/completions', { model: 'base', prompt: 'x'.repeat(5_000_000) });
    expect((await json<Refusal>(response)).error.message).toContain('1250000 in the prompt');
  }));

test('the second request with the same prompt finds it in the cache', () =>
  withServer({}, async (_server, client) => {
    const ask = { model: 'base', messages: MESSAGES, max_tokens: 1 };
    const first = await client.chat.completions.create(ask);
    const second = await client.chat.completions.create(ask);
    expect(first.usage!.prompt_tokens_details!.cached_tokens).toBe(0);
    expect(second.usage!.prompt_tokens_details!.cached_tokens).toBeGreaterThan(80);
  }));

test('a client that goes away frees its place and its KV blocks', () =>
  withServer({ speed: 1 }, async (server) => {
    const leaving = new AbortController();
    const ask = { model: 'base', prompt: 'x', max_tokens: 5000, ignore_eos: true, stream: true };
    const response = await post(server, '/v1/completions', ask, leaving.signal);
    await response.body!.getReader().read();
    expect(await metric(server, 'vllm:num_requests_running')).toBe(1);
    leaving.abort();
    await eventually(() => metric(server, 'vllm:num_requests_running'), 0);
    expect(await metric(server, 'vllm:kv_cache_usage_perc')).toBe(0);
    expect(await metric(server, 'vllm:request_success_total', 'abort')).toBe(1);
  }));

test('closing ends open streams and frees the port', async () => {
  let ended: Promise<unknown> | undefined;
  await withServer({ speed: 1 }, async (server) => {
    const ask = { model: 'base', prompt: 'x', max_tokens: 5000, ignore_eos: true, stream: true };
    const response = await post(server, '/v1/completions', ask);
    ended = response.text().then(
      () => 'complete',
      () => 'broken',
    );
  });
  expect(await ended).toBe('broken');
});

test('the request log keeps size, hash and gateway headers of the body as received, and no credentials', () =>
  withServer({}, async (server) => {
    const body = '{ "model": "base",\n "prompt": "x", "seed": 12345678901234567890 }';
    await fetch(`${server.url}/v1/completions`, {
      method: 'POST',
      body,
      headers: { 'x-gateway-model-name': 'base', authorization: 'Bearer secret' },
    });
    const log = await requestLog(server);
    expect(log.total).toBe(1);
    expect(log.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/completions',
      model: 'base',
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
      headers: { 'x-gateway-model-name': 'base' },
      status: 200,
    });
    expect(JSON.stringify(log)).not.toContain('secret');
  }));
