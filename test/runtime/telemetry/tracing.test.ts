import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { pino } from 'pino';
import type { EndpointPicker, PickedEndpoints, PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import { CONTINUE, type Processor, type ProcessorStream, type Reply } from '../../../runtime/ext-proc/processor';
import { startTracing } from '../../../runtime/telemetry/tracing';
import { tracedPicker } from '../../../runtime/telemetry/tracing-picker';
import { tracedProcessor } from '../../../runtime/telemetry/tracing-processor';
import type { Tracing } from '../../../runtime/telemetry/tracing-sdk';
import { explanation } from '../explain/fixtures';
import { picked, REQUEST } from '../recording/support';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const PEER = { metadata: new Map(), bodyModes: undefined };
const log = pino({ level: 'silent' });
const modelName = (model: string) => `known ${model}`;

/** The SDK itself, with an exporter that keeps the spans; how they go out is tested with a whole gateway. */
function memoryTracing() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('test');
  const current = new AsyncLocalStorage<Span>();
  return {
    processor: (processor: Processor) => tracedProcessor(processor, tracer, new W3CTraceContextPropagator(), current),
    picker: (picker: EndpointPicker) => tracedPicker(picker, tracer, current, modelName),
    /** By name. */
    spans: () => Object.fromEntries(exporter.getFinishedSpans().map((span) => [span.name, span])),
  };
}

type Traced = Pick<Tracing, 'processor' | 'picker'>;

const decision = (): PickedEndpoints => ({ ...picked(), explanation: explanation(), predictedTtftMs: 120 });

/** A processor that picks when it has the body. A mock: it routes nothing. */
function mockProcessor(picker: EndpointPicker, late = false): Processor {
  return {
    overloaded: () => ({ kind: 'immediate', status: 503, headers: [], body: '', details: '' }),
    open(): ProcessorStream {
      let ticket: PickedEndpoints['ticket'] | undefined;
      const pick = (): Reply => {
        const result = picker.pick(REQUEST) as PickResult;
        if (result.outcome === 'picked') ticket = result.ticket;
        else return { kind: 'immediate', status: 503, headers: [], body: '', details: '' };
        return { kind: 'continue', setHeaders: [['x-destination', result.endpoints[0]!]] };
      };
      return {
        requestHeaders: () => CONTINUE,
        requestBody: () => (late ? Promise.resolve().then(pick) : pick()),
        responseHeaders(_, attributes) {
          ticket?.served(attributes.get('upstream.address'), 2, 200);
          return CONTINUE;
        },
        responseBody() {
          ticket?.firstToken();
          return CONTINUE;
        },
        closed: () => ticket?.done(200),
      };
    },
  };
}

interface Exchange {
  readonly headers?: Record<string, string>;
  readonly result?: PickResult;
  readonly late?: boolean;
  readonly servedBy?: string;
}

/** One whole request through the traced parts; gives the answer to its headers. */
async function exchange(
  traced: Traced,
  { headers = {}, result = decision(), late = false, servedBy = '10.0.0.1:8000' }: Exchange = {},
) {
  const processor = traced.processor(mockProcessor(traced.picker({ pick: () => result }), late));
  const stream = processor.open();
  const sent = new Map([[':path', '/v1/chat/completions?secret=1'], ...Object.entries(headers)]);
  const answer = await stream.requestHeaders(sent, false, PEER);
  const body = await stream.requestBody({ length: 0, chunks: [] }, true);
  if (body.kind === 'continue') {
    const attributes = new Map([['upstream.address', servedBy]]);
    await stream.responseHeaders(new Map([[':status', '200']]), attributes, new Map());
    await stream.responseBody(Buffer.from('data: x\n\n'), true);
  }
  stream.closed();
  return { answer, body };
}

test.each([
  {},
  { OTEL_SERVICE_NAME: 'x' },
  { OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' },
  { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' },
])('with %j there are no traces', async (environment) => {
  expect(await startTracing({ environment, modelName, log })).toBeUndefined();
});

test.each([
  ['parentbased_always_off', '1', '00'],
  ['always_off', '1', '00'],
  ['traceidratio', '0', '00'],
  ['traceidratio', '1', '01'],
])('the sampler %s of the environment, with %s, gives a request the flags %s', async (sampler, argument, flags) => {
  const environment = {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_TRACES_SAMPLER: sampler,
    OTEL_TRACES_SAMPLER_ARG: argument,
  };
  const tracing = (await startTracing({ environment, modelName, log }))!;
  const stream = tracing.processor(mockProcessor({ pick: decision })).open();
  const answer = await stream.requestHeaders(new Map(), false, PEER);
  expect(answer).toMatchObject({ setHeaders: [['traceparent', expect.stringMatching(new RegExp(`-${flags}$`))]] });
  await tracing.close();
});

test('what is not understood in the environment is warned of', async () => {
  const warnings: unknown[] = [];
  const environment = { OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: 'mine' };
  const warn = (message: unknown) => warnings.push(message);
  await (await startTracing({ environment, modelName, log: { warn } as never }))!.close();
  expect(warnings).toEqual([expect.stringMatching(/^OTEL_TRACES_SAMPLER: expected one of always_on, /)]);
});

test('a request and its pick are two spans of the trace of the caller', async () => {
  const traced = memoryTracing();
  const { answer } = await exchange(traced, { headers: { traceparent: `00-${TRACE}-${CALLER}-01` } });
  const { 'gateway.request': request, 'gateway.pick': pick } = traced.spans();
  const { traceId, spanId } = request!.spanContext();
  expect([traceId, request!.parentSpanContext!.spanId]).toEqual([TRACE, CALLER]);
  expect(pick!.spanContext().traceId).toBe(TRACE);
  expect(pick!.parentSpanContext!.spanId).toBe(spanId);
  expect(answer).toEqual({ kind: 'continue', setHeaders: [['traceparent', `00-${TRACE}-${spanId}-01`]] });
});

test.each([{}, { traceparent: '00-nonsense' }])('with %j a trace begins here, and goes on', async (headers) => {
  const traced = memoryTracing();
  const { answer } = await exchange(traced, { headers });
  const { 'gateway.request': request } = traced.spans();
  const { traceId, spanId } = request!.spanContext();
  expect(request!.parentSpanContext).toBeUndefined();
  expect(answer).toMatchObject({ setHeaders: [['traceparent', `00-${traceId}-${spanId}-01`]] });
});

test('only one answer carries the trace onward, and what else it sets stays', async () => {
  const { body } = await exchange(memoryTracing());
  expect(body).toMatchObject({ setHeaders: [['x-destination', '10.0.0.1:8000']] });
});

test('the span of a request says what it asked for and how it turned out, and nothing that the client wrote', async () => {
  const traced = memoryTracing();
  await exchange(traced, { headers: { 'x-secret': 'secret' } });
  const { 'gateway.request': request } = traced.spans();
  expect(request!.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.request.model': 'known a-model',
    'gen_ai.request.max_tokens': 20,
    'inference_gateway.scheduler': 'ns/a',
    'inference_gateway.prompt_bytes': 1000,
    'inference_gateway.predicted_ttft_seconds': 0.12,
    'gen_ai.response.time_to_first_chunk': expect.any(Number),
    'http.response.status_code': 200,
    'network.peer.address': '10.0.0.1:8000',
  });
  expect(request!.events).toMatchObject([{ name: 'gateway.first_token' }]);
});

test('a prediction for another pod than the one that served is not told', async () => {
  const traced = memoryTracing();
  await exchange(traced, { servedBy: '10.0.0.2:8000' });
  const { attributes } = traced.spans()['gateway.request']!;
  expect(attributes).not.toHaveProperty(['inference_gateway.predicted_ttft_seconds']);
});

test('a span ends also where the end of the request throws', async () => {
  const traced = memoryTracing();
  const fault = (): never => {
    throw new Error('fault');
  };
  const mock = mockProcessor(traced.picker({ pick: decision }));
  const processor = { ...mock, open: () => ({ ...mock.open(), closed: fault }) };
  const stream = traced.processor(processor).open();
  await stream.requestHeaders(new Map(), false, PEER);
  expect(() => stream.closed()).toThrow('fault');
  expect(traced.spans()).toHaveProperty(['gateway.request']);
});

test('the picker hears who has served, with the attempts and the status', async () => {
  const traced = memoryTracing();
  const heard: unknown[][] = [];
  const ticket = { served: (...args: unknown[]) => heard.push(args) };
  const processor = traced.processor(mockProcessor(traced.picker({ pick: () => picked(ticket) })));
  const stream = processor.open();
  await stream.requestHeaders(new Map(), false, PEER);
  await stream.requestBody({ length: 0, chunks: [] }, true);
  await stream.responseHeaders(new Map(), new Map([['upstream.address', '10.0.0.2:8000']]), new Map());
  expect(heard).toEqual([['10.0.0.2:8000', 2, 200]]);
});

test('the span of a pick holds the whole decision', async () => {
  const traced = memoryTracing();
  await exchange(traced);
  expect(traced.spans()['gateway.pick']!.attributes).toMatchObject({
    'inference_gateway.pick.outcome': 'picked',
    'inference_gateway.pick.endpoints': ['10.0.0.1:8000', '10.0.0.2:8000'],
    'inference_gateway.pick.winner': 'models/llama-0',
    'inference_gateway.pick.runner_up': 'models/llama-1',
    'inference_gateway.pick.candidates': ['models/llama-0', 'models/llama-1'],
    'inference_gateway.pick.candidate.totals': [3, 2],
    'inference_gateway.pick.candidate.predicted_ttft_seconds': [0.12, 0.12],
    'inference_gateway.pick.weight.queue': 2,
    'inference_gateway.pick.score.kvCache': [0.8, 0.8],
  });
});

test('a pick that is made later is in the trace all the same', async () => {
  const traced = memoryTracing();
  await exchange(traced, { late: true });
  const { 'gateway.request': request, 'gateway.pick': pick } = traced.spans();
  expect(pick!.parentSpanContext!.spanId).toBe(request!.spanContext().spanId);
});

test('a refusal ends the request with its status, as an error', async () => {
  const traced = memoryTracing();
  await exchange(traced, { result: { outcome: 'no-endpoints', retryAfterSeconds: 1 } });
  const { 'gateway.request': request, 'gateway.pick': pick } = traced.spans();
  expect(pick!.attributes['inference_gateway.pick.outcome']).toBe('no-endpoints');
  expect(request).toMatchObject({ attributes: { 'http.response.status_code': 503 }, status: { code: 2 } });
});

test('a request that nobody waits for any more ends without a response', async () => {
  const traced = memoryTracing();
  const stream = traced.processor(mockProcessor(traced.picker({ pick: decision }))).open();
  await stream.requestHeaders(new Map(), false, PEER);
  stream.closed();
  expect(traced.spans()['gateway.request']!.attributes).toMatchObject({ 'error.type': 'no_response' });
});

test('a picker that fails ends its span as an error, and the error goes on', async () => {
  const traced = memoryTracing();
  const fault = (): never => {
    throw new Error('fault');
  };
  const stream = traced.processor(mockProcessor(traced.picker({ pick: fault }))).open();
  await stream.requestHeaders(new Map(), false, PEER);
  expect(() => stream.requestBody({ length: 0, chunks: [] }, true)).toThrow('fault');
  expect(traced.spans()['gateway.pick']!.status.code).toBe(2);
});

test('a trace that the caller does not sample is not explained and not kept, but goes on', async () => {
  const traced = memoryTracing();
  const asked: boolean[] = [];
  const picker = traced.picker({
    pick(request) {
      asked.push(request.explain);
      return decision();
    },
  });
  const stream = traced.processor(mockProcessor(picker)).open();
  const headers = new Map([['traceparent', `00-${TRACE}-${CALLER}-00`]]);
  const answer = await stream.requestHeaders(headers, false, PEER);
  await stream.requestBody({ length: 0, chunks: [] }, true);
  stream.closed();
  expect([traced.spans(), asked]).toEqual([{}, [false]]);
  expect(answer).toMatchObject({
    setHeaders: [['traceparent', expect.stringMatching(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))]],
  });
});
