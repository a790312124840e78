import { join } from 'node:path';
import {
  type ChannelCredentials,
  type ClientDuplexStream,
  credentials,
  loadPackageDefinition,
  makeClientConstructor,
  type ServiceClientConstructor,
  type StatusObject,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const definitions = loadSync(join(__dirname, 'ext_proc.proto'), { oneofs: true, defaults: true, enums: String });

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails where it is not there.
export type Message = any;

/** One stream to a picker, as a proxy holds it for one request. */
export interface ProxyStream {
  send(message: Message): void;
  /** The next answer; undefined once the picker has ended the stream. */
  next(): Promise<Message | undefined>;
  /** Every answer until the picker ends the stream, after the proxy's own end. */
  rest(): Promise<Message[]>;
  /** The proxy's own end. */
  end(): void;
  cancel(): void;
  readonly status: Promise<StatusObject>;
}

export interface GrpcProxy {
  open(): ProxyStream;
  /** The answer of the gRPC health check for a service name. */
  health(service: string): Promise<string>;
  close(): void;
}

/** A gRPC client of another maker than the server, in a proxy's place. */
export function connectProxy(
  { host, port }: { readonly host: string; readonly port: number },
  channel: ChannelCredentials = credentials.createInsecure(),
): GrpcProxy {
  const loaded = loadPackageDefinition(definitions) as Message;
  const Processor: ServiceClientConstructor = loaded.envoy.service.ext_proc.v3.ExternalProcessor;
  const client: Message = new Processor(`${host}:${port}`, channel);
  const Health = makeClientConstructor(HEALTH, 'Health');
  const health: Message = new Health(`${host}:${port}`, channel);
  return {
    open: () => proxyStream(client.process()),
    health: (service) =>
      new Promise((resolve, reject) => {
        health.check(
          Buffer.from([0x0a, service.length, ...Buffer.from(service)]),
          (error: Error | null, bytes: Buffer) =>
            error === null ? resolve(bytes[1] === 1 ? 'SERVING' : 'NOT_SERVING') : reject(error),
        );
      }),
    close() {
      client.close();
      health.close();
    },
  };
}

/** No .proto of it is at hand; its messages have one field each. */
const HEALTH = {
  check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestSerialize: (bytes: Buffer) => bytes,
    requestDeserialize: (bytes: Buffer) => bytes,
    responseSerialize: (bytes: Buffer) => bytes,
    responseDeserialize: (bytes: Buffer) => bytes,
  },
};

function proxyStream(call: ClientDuplexStream<Message, Message>): ProxyStream {
  const waiting: Message[] = [];
  let over = false;
  let wake = () => {};
  call.on('data', (message) => {
    waiting.push(message);
    wake();
  });
  call.on('error', () => {});
  const status = new Promise<StatusObject>((resolve) => {
    call.on('status', (ended) => {
      over = true;
      wake();
      resolve(ended);
    });
  });
  const next = async () => {
    while (waiting.length === 0 && !over) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return waiting.shift();
  };
  return {
    send: (message) => call.write(message),
    next,
    async rest() {
      const answers: Message[] = [];
      for (let answer = await next(); answer !== undefined; answer = await next()) answers.push(answer);
      return answers;
    },
    end: () => call.end(),
    cancel: () => call.cancel(),
    status,
  };
}

export interface SentRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The body in chunks; the last ends it. None: the request has no body. */
  readonly body?: readonly (string | Buffer)[];
  /** The subset hint. */
  readonly subset?: string | readonly string[];
  readonly trailers?: true;
}

/** The messages in which a proxy sends a request, FULL_DUPLEX_STREAMED. */
export function requestMessages({ headers = {}, body, subset, trailers }: SentRequest): Message[] {
  const chunks = body?.map((chunk) => Buffer.from(chunk));
  const metadata = subset !== undefined && {
    metadataContext: {
      filterMetadata: {
        'envoy.lb.subset_hint': {
          fields: { 'x-gateway-destination-endpoint-subset': subsetValue(subset) },
        },
      },
    },
  };
  return [
    {
      requestHeaders: {
        headers: { headers: headerList({ ':method': body === undefined ? 'GET' : 'POST', ...headers }) },
        endOfStream: body === undefined && !trailers,
      },
      ...metadata,
    },
    ...(chunks ?? []).map((chunk, index) => ({
      requestBody: { body: chunk, endOfStream: !trailers && index === chunks!.length - 1 },
    })),
    ...(trailers ? [{ requestTrailers: { trailers: { headers: headerList({ 'x-trailer': '1' }) } } }] : []),
  ];
}

function subsetValue(subset: string | readonly string[]): Message {
  if (typeof subset === 'string') return { stringValue: subset };
  return { listValue: { values: subset.map((stringValue) => ({ stringValue })) } };
}

export function headerList(headers: Readonly<Record<string, string>>): Message[] {
  return Object.entries(headers).map(([key, value]) => ({ key, rawValue: Buffer.from(value) }));
}

/** What the picker did to a request: where it goes, by header and by metadata, and what goes on. */
export interface Routed {
  readonly destination: string | undefined;
  readonly metadata: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
  readonly clearsRoute: boolean;
  readonly body: string;
  /** Bytes of each piece of the body. */
  readonly pieces: readonly number[];
  /** Of each piece, whether it says that it is the last. */
  readonly ends: readonly boolean[];
  readonly trailers: boolean;
}

const DESTINATION = 'x-gateway-destination-endpoint';

/** Reads the answers to a whole request, in the order that the protocol demands; throws where they are in another. */
export function routed(answers: readonly Message[]): Routed {
  const kinds = answers.map(({ response }) => response);
  const order = kinds.map((kind) => ['requestHeaders', 'requestBody', 'requestTrailers'].indexOf(kind));
  if (kinds[0] !== 'requestHeaders' || order.some((at, index) => at < 0 || at < order[index - 1]!)) {
    throw new Error(`answers are ${kinds.join(', ')}: ${JSON.stringify(answers)}`);
  }
  const { requestHeaders, dynamicMetadata } = answers[0];
  const { headerMutation, clearRouteCache } = requestHeaders.response;
  const headers: Record<string, string> = {};
  for (const { header } of headerMutation?.setHeaders ?? []) headers[header.key] = header.rawValue.toString();
  const pieces = answers
    .filter(({ response }) => response === 'requestBody')
    .map(({ requestBody }) => requestBody.response.bodyMutation.streamedResponse);
  return {
    destination: headers[DESTINATION],
    metadata: dynamicMetadata?.fields['envoy.lb'].structValue.fields[DESTINATION].stringValue,
    headers,
    removed: headerMutation?.removeHeaders ?? [],
    clearsRoute: clearRouteCache === true,
    body: Buffer.concat(pieces.map(({ body }) => body ?? Buffer.alloc(0))).toString(),
    pieces: pieces.map(({ body }) => body?.length ?? 0),
    ends: pieces.map(({ endOfStream }) => endOfStream === true),
    trailers: kinds.at(-1) === 'requestTrailers',
  };
}
