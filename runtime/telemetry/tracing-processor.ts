import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ContinueAnswer, HeaderMap, Processor, ProcessorStream, Reply } from '../ext-proc/processor';

/**
 * A processor whose requests are spans. The span joins the trace that the request's `traceparent` names, and what goes on
 * to the model server names the span. While the wrapped processor works on a request, `current` holds its span.
 */
export function tracedProcessor(
  processor: Processor,
  tracer: Tracer,
  propagator: TextMapPropagator,
  current: AsyncLocalStorage<Span>,
): Processor {
  return {
    overloaded: () => processor.overloaded(),
    open: () => tracedStream(processor.open(), tracer, propagator, current),
  };
}

type Headers = Array<readonly [name: string, value: string]>;

const GETTER: TextMapGetter<HeaderMap> = { get: (headers, name) => headers.get(name), keys: (h) => [...h.keys()] };
const SETTER: TextMapSetter<Headers> = { set: (headers, name, value) => headers.push([name, value]) };

function tracedStream(
  stream: ProcessorStream,
  tracer: Tracer,
  propagator: TextMapPropagator,
  current: AsyncLocalStorage<Span>,
): ProcessorStream {
  let span: Span | undefined;
  let answered = false;
  /** What the request is still to carry onward. */
  let onward: Headers = [];

  function tellStatus(status: number): void {
    answered = true;
    span?.setAttribute('http.response.status_code', status);
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
  }

  const within = (work: () => Reply | Promise<Reply>) => {
    const answer = span === undefined ? work() : current.run(span, work);
    return 'then' in answer ? answer.then(noted) : noted(answer);
  };
  const noted = (answer: Reply): Reply => {
    if (answer.kind === 'immediate') tellStatus(answer.status);
    if (onward.length === 0) return answer;
    const headers = onward;
    if (answer.kind === 'continue') {
      onward = [];
      return withHeaders(answer, headers);
    }
    if (answer.kind === 'streamed' && answer.headers !== undefined) {
      onward = [];
      return { ...answer, headers: withHeaders(answer.headers, headers) };
    }
    return answer;
  };

  return {
    requestHeaders(headers, endOfStream, peer) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, GETTER);
      span ??= startSpan(tracer, headers, parent);
      onward = [];
      propagator.inject(trace.setSpan(parent, span), onward, SETTER);
      return within(() => stream.requestHeaders(headers, endOfStream, peer));
    },
    requestBody: (body, endOfStream) => within(() => stream.requestBody(body, endOfStream)),
    ...(stream.requestTrailers && { requestTrailers: () => within(() => stream.requestTrailers!()) }),
    responseHeaders(headers, attributes, metadata) {
      onward = [];
      const status = Number(headers.get(':status'));
      if (status > 0) tellStatus(status);
      const address = attributes.get('upstream.address');
      if (address) span?.setAttribute('network.peer.address', address);
      return stream.responseHeaders(headers, attributes, metadata);
    },
    responseBody: (chunk, endOfStream) => stream.responseBody(chunk, endOfStream),
    ...(stream.responseTrailers && { responseTrailers: () => stream.responseTrailers!() }),
    closed() {
      try {
        stream.closed();
      } finally {
        if (!answered) span?.setAttribute('error.type', 'no_response');
        span?.end();
      }
    },
  };
}

function withHeaders(answer: ContinueAnswer, headers: Headers): ContinueAnswer {
  return { ...answer, setHeaders: [...(answer.setHeaders ?? []), ...headers] };
}

/** Operations by the path's last part; what a client sends is shown in no other way. */
const OPERATIONS: ReadonlyArray<readonly [path: RegExp, operation: string]> = [
  [/\/chat\/completions$|\/responses$|\/messages$/, 'chat'],
  [/\/completions$/, 'text_completion'],
  [/\/embeddings$/, 'embeddings'],
];

function startSpan(tracer: Tracer, headers: HeaderMap, parent: Context): Span {
  const path = headers.get(':path')?.split('?', 1)[0] ?? '';
  const operation = OPERATIONS.find(([pattern]) => pattern.test(path))?.[1];
  return tracer.startSpan(
    'gateway.request',
    { kind: SpanKind.SERVER, ...(operation !== undefined && { attributes: { 'gen_ai.operation.name': operation } }) },
    parent,
  );
}
