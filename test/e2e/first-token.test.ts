import { createServer, type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { createBodyRouter } from '../../runtime/body-router/body-router';
import { startExtProcServer } from '../../runtime/ext-proc/server';
import { endpoint, schedulerState } from '../lib/translate/builders';
import { listenOn, startLiveEnvoy } from '../lib/translate/live-envoy';
import { gateway, scheduler } from '../runtime/body-router/fixtures';
import { until } from '../support/until';
import { chatBody, send } from './support/send';

const CHAT = '/v1/chat/completions';
const chunk = (text: string) =>
  `data: {"id":"1","model":"a-model","choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`;

/** A real Envoy, the Body-Based Router with a picker that samples every stream, and a pod that `answer` plays. */
async function startSampled(answer: (response: ServerResponse) => void) {
  const heard: string[] = [];
  const pod = await listenOn(
    createServer((request, response) => {
      request.resume();
      request.on('end', () => answer(response));
    }),
  );
  const envoy = await startLiveEnvoy({
    maxRequestBodyBytes: 1_000_000,
    schedulers: [schedulerState('a-model', [endpoint(pod.address)])],
  });
  const ticket = {
    served: () => heard.push('served'),
    firstToken: () => heard.push('first token'),
    done: () => heard.push('done'),
  };
  const ignore = () => {};
  const router = createBodyRouter({
    picker: { pick: () => ({ outcome: 'picked', endpoints: [pod.address], ticket, sampleFirstToken: true }) },
    state: () => gateway({ schedulers: [scheduler('a')] }),
    random: () => 0,
    clock: () => 0,
    yieldTurn: () => new Promise(setImmediate),
    observe: { requestRouted: ignore, requestRefused: ignore, requestDefaulted: ignore, requestAnswered: ignore },
    onPickerError: ignore,
    created: 1,
  });
  const fail = (error: unknown) => heard.push(String(error));
  const server = await startExtProcServer({
    processor: router,
    listen: { path: envoy.processorSocket },
    maxMessageBytes: 2_000_000,
    onHandlerError: fail,
  });
  return {
    url: `http://127.0.0.1:${envoy.port}`,
    heard,
    async [Symbol.asyncDispose]() {
      await envoy.stop();
      await server.close(0);
      await pod.close();
    },
  };
}

test('an OpenAI client gets every byte of a sampled stream, whose first token is heard of before its end', async () => {
  const text = [': alive\n\n', ...Array.from({ length: 50 }, (_, i) => chunk(`é${i}`)), 'data: [DONE]\n\n'].join('');
  const bytes = Buffer.from(text);
  await using sampled = await startSampled((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(bytes.subarray(0, 50));
    void until('the headers and the half of a token have passed', () => sampled.heard.includes('served'))
      .then(() => response.write(bytes.subarray(50, 150)))
      .then(() => until('the first token is heard of', () => sampled.heard.includes('first token')))
      .then(() => response.end(bytes.subarray(150)));
  });
  const client = new OpenAI({ baseURL: `${sampled.url}/v1`, apiKey: 'none', maxRetries: 0 });
  const raw = await client.chat.completions
    .create({ model: 'a-model', messages: [{ role: 'user', content: 'hi' }], stream: true })
    .asResponse();
  expect(Buffer.from(await raw.arrayBuffer()).equals(bytes)).toBe(true);
  await until('the request is over', () => sampled.heard.includes('done'));
  expect(sampled.heard).toEqual(['served', 'first token', 'done']);
});

test('a sampled stream that states its length keeps it', async () => {
  const text = `${chunk('a')}data: [DONE]\n\n`;
  await using sampled = await startSampled((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
  const received = await send(sampled.url, CHAT, { body: chatBody('a-model', { stream: true }) });
  expect([received.body.toString(), received.headers['content-length']]).toEqual([text, String(text.length)]);
});
