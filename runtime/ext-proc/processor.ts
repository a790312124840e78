/**
 * What an external processor does with one HTTP request, told apart from how Envoy's ext_proc carries it.
 *
 * One `Processor` makes one `ProcessorStream` for each HTTP request. The server calls its methods in the order of the
 * wire and waits for each answer before it delivers the next message of that stream. Any method may be the first to be
 * called: a local reply of Envoy (401, 413) gives a stream that holds only `responseHeaders`.
 */
export interface Processor<Stream extends ProcessorStream = ProcessorStream> {
  open(): Stream;
  /** What a client is told when the budget for buffered bodies has no room for its request; usually a 503. */
  overloaded(): ImmediateAnswer;
}

export interface ProcessorStream {
  /** `endOfStream`: the request has no body, and `requestBody` will not be called. */
  requestHeaders(headers: HeaderMap, endOfStream: boolean, peer: Peer): Reply | Promise<Reply>;
  /** The whole body (BUFFERED), or a chunk of it (FULL_DUPLEX_STREAMED, STREAMED). */
  requestBody(body: Body, endOfStream: boolean): Reply | Promise<Reply>;
  /** Trailers end the body. Default: they pass. */
  requestTrailers?(): Reply | Promise<Reply>;
  responseHeaders(headers: HeaderMap, attributes: Attributes, metadata: Metadata): Reply | Promise<Reply>;
  /** One chunk of a response body, or all of it (BUFFERED); called only where the filter or a mode override asks for it. */
  responseBody(chunk: Buffer, endOfStream: boolean): Reply | Promise<Reply>;
  /** Default: they pass. */
  responseTrailers?(): Reply | Promise<Reply>;
  /** The stream is over, by its end, by a client's abort or by a lost connection. Called exactly once, last. */
  closed(): void;
}

/**
 * Header names in lower case; of a repeated header the last value, as UTF-8 (bytes that are not, become U+FFFD).
 * Pseudo headers are included (`:path`).
 */
export type HeaderMap = ReadonlyMap<string, string>;

/** Envoy attributes (`upstream.address`, …) by name, as text. */
export type Attributes = ReadonlyMap<string, string>;

/** A request body as the pieces in which it arrived, so that a large one is never copied whole. */
export interface Body {
  /** Total bytes of all chunks. */
  readonly length: number;
  readonly chunks: readonly Buffer[];
}

/** What a filter says beside the headers of a request. */
export interface Peer {
  readonly metadata: Metadata;
  /** How it sends bodies; undefined where it does not say. */
  readonly bodyModes: BodyModes | undefined;
}

export interface BodyModes {
  readonly request: BodyMode;
  readonly response: BodyMode;
}

/** `envoy.extensions.filters.http.ext_proc.v3.ProcessingMode.BodySendMode`, in the order of its numbers. */
export const BODY_MODES = ['NONE', 'STREAMED', 'BUFFERED', 'BUFFERED_PARTIAL', 'FULL_DUPLEX_STREAMED'] as const;

export type BodyMode = (typeof BODY_MODES)[number];

/** Dynamic metadata by namespace and key, of the namespaces that the server was told to read; text and lists of text. */
export type Metadata = ReadonlyMap<string, ReadonlyMap<string, string | readonly string[]>>;

/** To one message. */
export type Answer = ContinueAnswer | ImmediateAnswer;

/** Where bodies are streamed in both directions at once, an answer may come late, and be one to several messages. */
export type Reply = Answer | StreamedAnswer | HeldAnswer;

export interface ContinueAnswer {
  readonly kind: 'continue';
  /** Set (overwrite) these headers. */
  readonly setHeaders?: ReadonlyArray<readonly [name: string, value: string]>;
  readonly removeHeaders?: readonly string[];
  /** Replaces the body (request body: the whole of it; response body: this chunk). Content-Length is the caller's. */
  readonly body?: Body;
  /** Choose the route again, with the headers as they are now. Only request phases. */
  readonly clearRouteCache?: boolean;
  /** Written as dynamic metadata under the namespace `envoy.lb`. */
  readonly lbMetadata?: Readonly<Record<string, string>>;
  /** Only in answer to `responseHeaders`: have the response body of this request streamed through the processor. */
  readonly streamResponseBody?: boolean;
  /** Only in answer to `responseHeaders`: nothing more of this response is wanted. Filters may not heed it. */
  readonly skipResponseBody?: boolean;
}

/**
 * No answer to this message: it comes with the answer to a later one. Only in FULL_DUPLEX_STREAMED mode, where the peer
 * sends on. Bytes of the message stay counted in the budget until that answer.
 */
export interface HeldAnswer {
  readonly kind: 'held';
}

/**
 * In FULL_DUPLEX_STREAMED mode: answers to all messages of this direction that are held, in the order headers, body,
 * trailers.
 */
export interface StreamedAnswer {
  readonly kind: 'streamed';
  /** The answer to the headers, where that is held. */
  readonly headers?: ContinueAnswer;
  /** What goes on in place of the body's bytes that are held; any number of bytes. */
  readonly body: Body;
}

/** Envoy answers the client itself with this. */
export interface ImmediateAnswer {
  readonly kind: 'immediate';
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: string;
  /** Shown in Envoy's access log as response code details; no client input. */
  readonly details: string;
}

/** The answer that changes nothing. */
export const CONTINUE: ContinueAnswer = { kind: 'continue' };

export const HELD: HeldAnswer = { kind: 'held' };
