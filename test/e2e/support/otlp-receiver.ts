import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
  readonly arrayValue?: { readonly values?: readonly OtlpValue[] };
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: OtlpValue }>;
  readonly events?: ReadonlyArray<{ readonly name: string }>;
  readonly status?: { readonly code?: number };
}

export interface ReceivedSpan extends Omit<OtlpSpan, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;

/** A collector of OTLP over HTTP in JSON, on a free port, that keeps the spans it gets. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const types: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      types.push(`${request.url} ${request.headers['content-type']}`);
      if (request.headers['content-type'] === 'application/json') {
        spans.push(...decoded(JSON.parse(Buffer.concat(parts).toString())));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    /** Path and content type of each request. */
    types,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Export {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly OtlpSpan[] }>;
  }>;
}

function decoded({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, attributes: plain(span.attributes), resource: plain(resource.attributes) })),
    ),
  );
}

function plain(attributes: OtlpSpan['attributes']): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ stringValue, intValue, doubleValue, boolValue, arrayValue }: OtlpValue): unknown {
  if (arrayValue !== undefined) return (arrayValue.values ?? []).map(plainValue);
  return stringValue ?? doubleValue ?? boolValue ?? Number(intValue);
}
