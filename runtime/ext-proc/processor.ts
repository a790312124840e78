/**
 * What an external processor does with one HTTP request, told apart from how Envoy's ext_proc carries it.
 *
 * One `Processor` makes one `ProcessorStream` for each HTTP request. The server calls its methods in the order of the
 * wire and waits for each answer before it delivers the next message of that stream. Any method may be the first to be
 * called: a local reply of Envoy (401, 413) gives a stream that holds only `responseHeaders`.
 */
export interface Processor {
  open(): ProcessorStream;
  /** What a client is told when the budget for buffered bodies has no room for its request; usually a 503. */
  overloaded(): ImmediateAnswer;
}

export interface ProcessorStream {
  /** `endOfStream`: the request has no body, and `requestBody` will not be called. */
  requestHeaders(headers: HeaderMap, endOfStream: boolean): Answer | Promise<Answer>;
  /** The whole body (BUFFERED). */
  requestBody(body: Body): Answer | Promise<Answer>;
  responseHeaders(headers: HeaderMap, attributes: Attributes): Answer | Promise<Answer>;
  /** One chunk of a response body; called only where a `modeOverride` asked for it. */
  responseBody(chunk: Buffer, endOfStream: boolean): Answer | Promise<Answer>;
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

export type Answer = ContinueAnswer | ImmediateAnswer;

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
