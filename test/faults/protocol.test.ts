import { once } from 'node:events';
import { connect } from 'node:http2';
import { envoyResourceFiles } from '../../lib/translate/envoy';
import { bodyOf } from '../../runtime/body-router/body/span';
import { createTurns } from '../../runtime/body-router/body/turns';
import { compileRouting } from '../../runtime/body-router/models/routing';
import type { PickRequest } from '../../runtime/endpoint-picker/endpoint-picker';
import {
  type BodyModes,
  CONTINUE,
  HELD,
  type Metadata,
  type Reply,
  type StreamedAnswer,
} from '../../runtime/ext-proc/processor';
import { startExtProcServer } from '../../runtime/ext-proc/server';
import { type GieContext, GieStream } from '../../runtime/gie-picker/gie-stream';
import { JsonUsage } from '../../runtime/gie-picker/usage/json-usage';
import { SseUsage } from '../../runtime/gie-picker/usage/sse-usage';
import type { TokenUsage } from '../../runtime/gie-picker/usage/token-usage';
import { encodeFrame, FrameReader, MAX_PAYLOAD_BYTES } from '../../runtime/picker-rpc/wire/frames';
import { ENVOY_OPTIONS } from '../lib/translate/builders';
import { gatewayState, schedulerState } from '../runtime/endpoint-picker/support/fixtures';
import { frame } from '../runtime/ext-proc/golden';
import { FLOW_CONTROL } from './support/whole-router';

describe('the usage that an answer tells', () => {
  /** By `push` in two pieces, cut at each byte in turn. */
  function usages(watch: () => SseUsage | JsonUsage, text: string): ReadonlyArray<TokenUsage | undefined> {
    const bytes = Buffer.from(text);
    return Array.from({ length: bytes.length + 1 }, (_, cut) => {
      const one = watch();
      for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) one.push(piece);
      one.end();
      return one.usage;
    });
  }
  const sse = (text: string) => usages(() => new SseUsage(), text);
  const json = (text: string) => usages(() => new JsonUsage(), text);

  test('is counted when it comes in the chunk before [DONE], however the chunks are cut', () => {
    const text =
      'data: {"choices":[{"delta":{"content":"a"}}],"usage":null}\n\n' +
      'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}\n\n' +
      'data: [DONE]\n\n';
    for (const usage of sse(text)) expect(usage).toEqual({ input: 7, output: 3, cached: 4 });
  });

  test('is counted where an event nests it in its response', () => {
    const text =
      'event: response.created\ndata: {"type":"response.created","response":{"usage":null}}\n\n' +
      'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r","usage":{"input_tokens":9,"output_tokens":2}}}\n\n';
    for (const usage of sse(text)) expect(usage).toEqual({ input: 9, output: 2 });
  });

  test('is merged by field where its parts come in two events', () => {
    const text =
      'data: {"type":"message_start","message":{"usage":{"input_tokens":25,"output_tokens":1,"cache_read_input_tokens":5}}}\n\n' +
      'data: {"type":"message_delta","usage":{"output_tokens":15}}\n\n';
    for (const usage of sse(text)) expect(usage).toEqual({ input: 25, output: 15, cached: 5 });
  });

  test('is charged for an answer that is no stream, in full', () => {
    const text =
      '{"choices":[{"message":{"content":"\\"usage\\":{}"}}],"usage":{"prompt_tokens":11,"completion_tokens":400}}';
    for (const usage of json(text)) expect(usage).toEqual({ input: 11, output: 400 });
  });

  test.each(['prompt_tokens_details', 'prompt_token_details'])('knows cached tokens under %s', (name) => {
    const [usage] = json(`{"usage":{"prompt_tokens":11,"completion_tokens":4,"${name}":{"cached_tokens":8}}}`);
    expect(usage).toEqual({ input: 11, output: 4, cached: 8 });
  });
});

describe('a picker behind another proxy', () => {
  const DUPLEX: BodyModes = { request: 'FULL_DUPLEX_STREAMED', response: 'FULL_DUPLEX_STREAMED' };

  function open(modes: BodyModes = DUPLEX) {
    const picks: PickRequest[] = [];
    const heard: string[] = [];
    const ticket = {
      served: (address: string) => heard.push(`served ${address}`),
      firstToken: () => {},
      done: (status?: number) => heard.push(`done ${status}`),
    };
    const objectives = [{ name: 'batch', priority: -1 }];
    const routing = compileRouting(gatewayState(schedulerState({ objectives })));
    const context: GieContext = {
      picker: {
        pick(request) {
          picks.push(request);
          return { outcome: 'picked', endpoints: ['10.0.0.0:8000', '10.0.0.1:8000'], ticket };
        },
      },
      scheduler: 'models/llama',
      routing: () => routing,
      random: () => 0,
      clock: () => 0,
      turns: createTurns(() => new Promise(setImmediate)),
      observe: { requestRouted() {}, requestRefused() {}, requestUsed() {} },
      onPickerError: (error) => {
        throw error;
      },
      bodyModes: modes,
    };
    return { stream: new GieStream(context), picks, heard, context };
  }

  const headers = (more: Record<string, string> = {}) =>
    new Map(
      Object.entries({ ':method': 'POST', ':path': '/v1/completions', 'content-type': 'application/json', ...more }),
    );
  const peer = (metadata: Metadata = new Map()) => ({ metadata, bodyModes: undefined });
  const piece = (text: string) => bodyOf([Buffer.from(text)]);
  const streamed = (answer: Reply): StreamedAnswer => {
    if (answer.kind !== 'streamed') throw new Error(`not streamed: ${answer.kind}`);
    return answer;
  };

  test('keeps the headers that came before a streamed body, and decides by them when it is whole', async () => {
    const { stream, picks } = open();
    expect(stream.requestHeaders(headers({ 'x-gateway-inference-objective': 'batch' }), false, peer())).toBe(HELD);
    expect(stream.requestBody(piece('{"model":"llama",'), false)).toBe(HELD);
    expect(picks).toEqual([]);
    const answer = streamed(await stream.requestBody(piece('"prompt":"hi"}'), true));
    expect(picks).toMatchObject([{ model: 'llama', priority: -1 }]);
    expect(answer.headers?.setHeaders).toContainEqual([
      'x-gateway-destination-endpoint',
      '10.0.0.0:8000,10.0.0.1:8000',
    ]);
  });

  test('answers streamed bodies as streamed, both ways, and never by a whole body', async () => {
    const { stream } = open();
    stream.requestHeaders(headers(), false, peer());
    const sent = streamed(await stream.requestBody(piece('{"model":"llama"}'), true));
    expect(Buffer.concat(sent.body.chunks).toString()).toBe('{"model":"llama"}');
    stream.responseHeaders(
      new Map([
        [':status', '200'],
        ['content-type', 'application/json'],
      ]),
      new Map(),
      new Map(),
    );
    for (const [text, end] of [
      ['{"usage":', false],
      ['{}}', true],
    ] as const) {
      const passed = streamed(stream.responseBody(Buffer.from(text), end));
      expect(Buffer.concat(passed.body.chunks).toString()).toBe(text);
    }
  });

  test('a request that ends with trailers is answered at its trailers, with the body that came before', async () => {
    const { stream, picks } = open();
    stream.requestHeaders(headers(), false, peer());
    expect(stream.requestBody(piece('{"model":"llama"}'), false)).toBe(HELD);
    const answer = streamed(await stream.requestTrailers());
    expect(picks).toHaveLength(1);
    expect(Buffer.concat(answer.body.chunks).toString()).toBe('{"model":"llama"}');
    expect(answer.headers?.setHeaders?.map(([name]) => name)).not.toContain('content-length');
  });

  test('trailers of a response pass, so that the status of gRPC is not lost', async () => {
    const { stream } = open();
    stream.requestHeaders(headers(), false, peer());
    await stream.requestBody(piece('{"model":"llama"}'), true);
    stream.responseHeaders(
      new Map([
        [':status', '200'],
        ['content-type', 'application/json'],
      ]),
      new Map(),
      new Map(),
    );
    stream.responseBody(Buffer.from('{}'), false);
    expect(['streamed', 'continue']).toContain(stream.responseTrailers().kind);
  });

  test('a request without a body is answered at its headers: no message follows that could be', async () => {
    const { stream, picks } = open();
    const answer = streamed(await stream.requestHeaders(headers({ ':method': 'GET' }), true, peer()));
    expect(answer.headers?.setHeaders?.map(([name]) => name)).toEqual(['x-gateway-destination-endpoint']);
    expect(answer.body.length).toBe(0);
    expect(picks).toHaveLength(1);
  });

  test.each<[string, string | readonly string[]]>([
    ['a list', ['10.0.0.2:8000', '10.0.0.3:8000']],
    ['a text', '10.0.0.2:8000, 10.0.0.3:8000'],
  ])('obeys a subset that comes as %s', async (_, value) => {
    const { stream, picks } = open();
    const hint = new Map([['envoy.lb.subset_hint', new Map([['x-gateway-destination-endpoint-subset', value]])]]);
    await stream.requestHeaders(headers({ ':method': 'GET' }), true, peer(hint));
    expect(picks).toMatchObject([{ subset: ['10.0.0.2:8000', '10.0.0.3:8000'] }]);
  });

  test('reads the status where HTTP has it, and ignores a header that is only called so', async () => {
    const { stream, heard } = open();
    stream.requestHeaders(headers(), false, peer());
    await stream.requestBody(piece('{"model":"llama"}'), true);
    stream.responseHeaders(
      new Map([
        [':status', '503'],
        ['status', '200'],
      ]),
      new Map(),
      new Map(),
    );
    stream.closed();
    expect(heard).toEqual(['served undefined', 'done 503']);
  });

  test('is 503 as long as it has been told nothing, and does not fail', async () => {
    const { context } = open();
    const stream = new GieStream({ ...context, routing: () => undefined });
    expect(await stream.requestHeaders(headers({ ':method': 'GET' }), true, peer())).toMatchObject({ status: 503 });
    stream.closed();
  });
});

test('a health check is answered whatever service name the probe has', async () => {
  const idle = () => CONTINUE;
  const server = await startExtProcServer({
    processor: {
      open: () => ({ requestHeaders: idle, requestBody: idle, responseHeaders: idle, responseBody: idle, closed() {} }),
      overloaded: () => ({ kind: 'immediate', status: 503, headers: [], body: '', details: '' }),
    },
    listen: { host: '127.0.0.1', port: 0 },
    maxMessageBytes: 1_000,
    onHandlerError() {},
  });
  const { host, port } = server.address as { host: string; port: number };
  const session = connect(`http://${host}:${port}`);
  const answers: string[] = [];
  for (const service of ['', 'envoy.service.ext_proc.v3.ExternalProcessor', 'inference-extension', 'a'.repeat(90)]) {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const name = Buffer.from(service);
    stream.end(frame(Buffer.concat([Buffer.from([0x0a, name.length]), name])));
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(stream, 'end');
    answers.push(Buffer.concat(chunks).toString('hex'));
  }
  session.destroy();
  await server.close(0);
  // HealthCheckResponse { status: SERVING }
  expect(answers).toEqual(Array(4).fill('00000000020801'));
});

describe('messages between routers and pickers', () => {
  test.each([0xffff_ffff, 0x8000_0000, MAX_PAYLOAD_BYTES + 1])(
    'a length of %d is refused before its bytes come',
    (length) => {
      const header = Buffer.alloc(4);
      header.writeUInt32BE(length);
      expect(() => new FrameReader(() => {}).push(header)).toThrow(/too large/);
    },
  );

  test('an array that promises more than its bytes hold is refused', () => {
    const bomb = Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff]);
    const header = Buffer.alloc(4);
    header.writeUInt32BE(bomb.length);
    expect(() => new FrameReader(() => {}).push(Buffer.concat([header, bomb]))).toThrow(/MessagePack/);
  });

  test('come whole however they are cut', () => {
    const bytes = Buffer.concat([encodeFrame([1, 'a']), encodeFrame([2, 'é'.repeat(300)]), encodeFrame([3])]);
    for (let size = 1; size < 20; size++) {
      const seen: unknown[] = [];
      const reader = new FrameReader((message) => seen.push(message[0]));
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
      expect(seen).toEqual([1, 2, 3]);
    }
  });
});

describe('Envoy', () => {
  function messageTimeoutSeconds(...schedulers: Parameters<typeof gatewayState>): number {
    const files = envoyResourceFiles(gatewayState(...schedulers), ENVOY_OPTIONS);
    const [, text] = /"message_timeout":"([\d.]+)s"/.exec(files.map(({ content }) => content).join('\n')) ?? [];
    return Number(text);
  }

  test('waits for a router that is stuck for seconds, not for ever', () => {
    expect(messageTimeoutSeconds(schedulerState())).toBeGreaterThan(0);
    expect(messageTimeoutSeconds(schedulerState())).toBeLessThanOrEqual(60);
  });

  test('waits longer than any request may be held, so that it is the router that answers', () => {
    const { bands } = FLOW_CONTROL;
    const slow = { ...FLOW_CONTROL, bands: { ...bands, sheddable: { ...bands.sheddable, ttlMs: 45_000 } } };
    const overload = { ...schedulerState().overload, emptyPoolHoldMs: 20_000 };
    expect(messageTimeoutSeconds(schedulerState({ overload }))).toBe(22);
    expect(messageTimeoutSeconds(schedulerState({ overload }), schedulerState({ name: 'b', flowControl: slow }))).toBe(
      47,
    );
  });
});
