import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { pino } from 'pino';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { createScraper } from '../../runtime/endpoint-picker/endpoints/scraper';
import { createPicker, type Picker } from '../../runtime/endpoint-picker/picker';
import { startGiePicker } from '../../runtime/gie-picker/gie-picker';
import type { UsedRequest } from '../../runtime/gie-picker/observer';
import { type ModelServer, startModelServer } from '../../runtime/simulator/model-server/model-server';
import { listenOn } from '../lib/translate/live-envoy';
import { gatewayState, recordingObserver, schedulerState } from '../runtime/endpoint-picker/support/fixtures';
import { type GieEnvoy, type ListenerName, startGieEnvoy } from '../runtime/gie-picker/gie-envoy';
import { selfSigned } from '../runtime/gie-picker/self-signed';
import { until } from '../support/until';
import { chatBody, send } from './support/send';

const CHAT = '/v1/chat/completions';

let envoy: GieEnvoy;
let picker: Picker;
let servers: ModelServer[];
/** The pod whose answers a test writes itself. */
let scripted: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const used: UsedRequest[] = [];
const failures: unknown[] = [];
const closers: Array<() => unknown> = [];

beforeAll(async () => {
  servers = await Promise.all([1, 2].map(() => startModelServer({ port: 0, model: 'llama', speed: 50 })));
  const own = await listenOn(
    createServer((request, response) => {
      if (request.url === '/metrics') response.writeHead(404).end();
      else void answer(request, response);
    }),
  );
  scripted = own.address;
  const addresses = [...servers.map(({ address }) => address), scripted];
  const endpoints = addresses.map((address, index) => ({ address, pod: `models/llama-${index}`, ready: true }));
  const state: GatewayState = {
    ...gatewayState(schedulerState({ endpoints })),
    maxRequestBodyBytes: 1_000_000,
    rewrites: [
      { name: 'models/r', scheduler: 'models/llama', models: ['alias'], targets: [{ model: 'llama', weight: 1 }] },
    ],
  };
  const clock = () => performance.now();
  const { random } = Math;
  const observe = recordingObserver();
  const log = pino({ level: 'silent' });
  picker = createPicker({ state, metrics: createScraper({ clock, random, observe, log }), clock, random, observe });
  const fail = (error: unknown) => failures.push(error);
  const server = await startGiePicker({
    picker,
    state: () => state,
    scheduler: 'models/llama',
    listen: { host: '127.0.0.1', port: 0 },
    tls: selfSigned(),
    maxMessageBytes: 2_000_000,
    random,
    clock,
    yieldTurn: () => new Promise(setImmediate),
    observe: { requestRouted() {}, requestRefused() {}, requestUsed: (request) => used.push(request) },
    onPickerError: fail,
    onHandlerError: fail,
  });
  const address = server.address as { host: string; port: number };
  envoy = await startGieEnvoy({ picker: address, tls: true, endpoints: addresses });
  closers.push(
    () => envoy.stop(),
    () => server.close(0),
    () => picker.close(),
    () => own.close(),
    ...servers.map((one) => () => one.close()),
  );
}, 60_000);

afterAll(async () => {
  for (const close of closers) await close();
});

const inFlight = () =>
  picker.status().reduce((sum, { pods }) => sum + pods.reduce((inPool, pod) => inPool + pod.inFlight, 0), 0);

afterEach(async () => {
  await until('nothing is in flight', () => inFlight() === 0);
  expect(failures).toEqual([]);
});

const toScripted = () => ({ 'x-subset': scripted });

describe.each<[ListenerName]>([['duplex'], ['buffered'], ['streamed'], ['quiet']])(
  'a gateway that sends bodies: %s',
  (mode) => {
    const url = () => envoy.url(mode);
    const openai = (headers: Record<string, string> = {}) =>
      new OpenAI({ baseURL: `${url()}/v1`, apiKey: 'none', maxRetries: 0, defaultHeaders: headers });

    test('the official client streams a chat, in which a rewritten model has its name again', async () => {
      const stream = await openai({ 'x-subset': servers[1]!.address }).chat.completions.create({
        model: 'alias',
        messages: [{ role: 'user', content: 'hello' }],
        max_tokens: 5,
        stream: true,
        stream_options: { include_usage: true },
      });
      const models = new Set<string>();
      let tokens: number | undefined;
      for await (const { model, usage } of stream) {
        models.add(model);
        tokens = usage?.completion_tokens ?? tokens;
      }
      expect([...models]).toEqual(['alias']);
      expect(tokens).toBe(5);
    });

    test('a token passes before the next one is made', async () => {
      const event = (text: string) => `data: {"model":"llama","choices":[{"delta":{"content":"${text}"}}]}\n\n`;
      let passed = () => {};
      const first = new Promise<void>((resolve) => {
        passed = resolve;
      });
      answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(event('one'));
        void first.then(() => response.end(`${event('two')}data: [DONE]\n\n`));
      };
      const stream = await openai(toScripted()).chat.completions.create({
        model: 'alias',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
      });
      let text = '';
      for await (const { choices } of stream) {
        text += choices[0]!.delta.content;
        passed();
      }
      expect(text).toBe('onetwo');
    });

    test('a body of 220 KiB reaches the endpoint of the subset as it was sent', async () => {
      answer = async (request, response) => {
        const hash = createHash('sha256');
        for await (const chunk of request) hash.update(chunk as Buffer);
        response.end(hash.digest('hex'));
      };
      const body = chatBody('llama', { messages: [{ role: 'user', content: 'é'.repeat(110 * 1024) }] });

      const { body: digest } = await send(url(), CHAT, { body, headers: toScripted() });

      expect(digest.toString()).toBe(createHash('sha256').update(body).digest('hex'));
    });

    test('trailers pass both ways', async () => {
      const received: unknown[] = [];
      answer = async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        received.push(body, request.trailers);
        response.writeHead(200, { 'content-type': 'text/plain', trailer: 'x-back' });
        response.write('done');
        response.addTrailers({ 'x-back': '2' });
        response.end();
      };
      const { hostname, port } = new URL(url());
      const headers = { ...toScripted(), 'content-type': 'application/json', trailer: 'x-there', te: 'trailers' };
      const sent = httpRequest({ hostname, port, path: CHAT, method: 'POST', agent: false, headers });
      const body = chatBody('llama');
      sent.write(body);
      sent.addTrailers({ 'x-there': '1' });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      let text = '';
      for await (const chunk of response) text += chunk;

      expect([text, response.trailers]).toEqual(['done', { 'x-back': '2' }]);
      expect(received).toEqual([body, { 'x-there': '1' }]);
    });

    test('a request without a body is served', async () => {
      expect(
        (await send(url(), '/v1/models', { headers: { 'x-subset': servers[0]!.address } })).json().data[0].id,
      ).toBe('llama');
    });

    test('a subset of which the pool has no endpoint is answered with 503, broken JSON with 400', async () => {
      const refused = await send(url(), CHAT, { body: chatBody('llama'), headers: { 'x-subset': '10.0.0.1:1' } });
      expect([refused.status, refused.json().error.code]).toEqual([503, 'no_endpoints']);
      const broken = await send(url(), CHAT, { body: '{' });
      expect([broken.status, broken.json().error.code]).toEqual([400, 'invalid_json']);
    });

    test('a body above the limit is answered with 413', async () => {
      const body = Array.from({ length: 11 }, () => Buffer.alloc(100_000, 'x'));
      expect((await send(url(), CHAT, { body })).status).toBe(413);
    });

    test('a client that goes away in the middle of an answer leaves nothing behind', async () => {
      let gone = false;
      answer = (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"model":"llama"}\n\n');
        response.on('close', () => {
          gone = true;
        });
      };
      const stream = await openai(toScripted()).chat.completions.create({
        model: 'llama',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
      });
      for await (const _ of stream) {
        expect(inFlight()).toBe(1);
        break;
      }
      stream.controller.abort();
      await until('the model server knows it', () => gone);
    });
  },
);

test('tokens are counted where responses pass', async () => {
  used.length = 0;
  for (const mode of ['duplex', 'buffered', 'streamed'] as const) {
    const body = chatBody('llama', { stream: true, stream_options: { include_usage: true }, max_tokens: 7 });
    await send(envoy.url(mode), CHAT, { body, headers: { 'x-subset': servers[0]!.address } });
  }
  await until('all are over', () => used.length === 3);
  expect(used.map(({ model, usage }) => [model, usage.output])).toEqual([1, 2, 3].map(() => ['llama', 7]));
});
