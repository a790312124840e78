import type { Dispatcher } from 'undici';
import { abortScope, untilAborted } from './abort-scope';
import type { ClusterAccess, Credentials } from './access';
import { isApiError, noAnswer, refusal } from './api-error';
import type { Clock } from './clock';
import { type Connections, destroyConnections, openConnections, retireConnections } from './connections';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Encoded, without the query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: { readonly type: string; readonly text: string };
  readonly watch?: boolean;
}

export interface HttpRequestsOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly userAgent: string;
  /** Text of a `Warning` header, each once. */
  readonly onWarning: (text: string) => void;
}

/** What the API server asks to wait is waited once, when it is no longer than this. Milliseconds. */
const LONGEST_WAIT_MS = 10_000;

/** Requests with credentials, over connections that are kept: made anew when certificates change. */
export class HttpRequests {
  private connections: Connections | undefined;
  private credentials: Credentials | undefined;
  private closed = false;
  private readonly told = new Set<string>();

  constructor(private readonly options: HttpRequestsOptions) {}

  /**
   * Resolves with the response to read when the answer is a good one. Sent once more where the answer is 401 (with
   * credentials that are read again) or asks to come back within 10 s (429 or 503 with Retry-After).
   */
  async send(request: ApiRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { clock, random } = this.options;
    try {
      return await this.attempt(request, false, signal);
    } catch (error) {
      if (isApiError(error, 401)) return await this.attempt(request, true, signal);
      const wait = isApiError(error, 429, 503) ? error.retryAfterMs : undefined;
      if (wait === undefined || wait > LONGEST_WAIT_MS) throw error;
      await clock.sleep(wait * (1 + random() / 5), signal);
      return await this.attempt(request, false, signal);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.connections !== undefined) await destroyConnections(this.connections);
  }

  private async attempt(request: ApiRequest, refused: boolean, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    signal.throwIfAborted();
    const name = requestName(request);
    const credentials = await this.renewCredentials(name, refused, signal);
    const response = await this.dispatch(request, credentials, signal).catch((error: Error) => {
      throw signal.aborted
        ? signal.reason
        : noAnswer('Unreachable', name, `the API server cannot be reached: ${describe(error)}`, error);
    });
    this.passWarnings(response);
    if (response.statusCode < 300) return response;
    const body = await readText(response, name, MAX_ERROR_BYTES, signal);
    const retryAfter = response.headers['retry-after'];
    throw refusal(response.statusCode, body, name, typeof retryAfter === 'string' ? retryAfter : undefined);
  }

  private async renewCredentials(name: string, refused: boolean, signal: AbortSignal): Promise<Credentials> {
    const credentials = await untilAborted(this.options.access.credentials(refused), signal).catch((error: Error) => {
      throw signal.aborted ? signal.reason : noAnswer('NoCredentials', name, error.message, error);
    });
    if (this.closed) throw noAnswer('Unreachable', name, 'the client is closed');
    if (credentials.connection !== this.credentials?.connection) {
      if (this.connections !== undefined) retireConnections(this.connections);
      this.connections = openConnections(credentials.connection);
    }
    this.credentials = credentials;
    return credentials;
  }

  private dispatch(
    { method, path, query = {}, body, watch = false }: ApiRequest,
    { headers }: Credentials,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { access, userAgent } = this.options;
    const url = new URL(access.server);
    const prefix = url.pathname === '/' ? '' : url.pathname;
    return this.connections![watch ? 'watches' : 'requests'].request({
      origin: url.origin,
      path: `${prefix}${path}${queryText(query)}`,
      method,
      headers: {
        ...headers,
        accept: 'application/json',
        'user-agent': userAgent,
        ...(body && { 'content-type': body.type }),
      },
      body: body?.text ?? null,
      signal,
    });
  }

  private passWarnings({ headers }: Dispatcher.ResponseData): void {
    const warnings = headers.warning;
    for (const warning of Array.isArray(warnings) ? warnings : [warnings ?? '']) {
      for (const [, text = ''] of warning.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
        if (this.told.has(text) || this.told.size >= MAX_WARNINGS) continue;
        this.told.add(text);
        this.options.onWarning(text.replaceAll(/\\(.)/g, '$1'));
      }
    }
  }
}

const MAX_WARNINGS = 1_000;

const MAX_ERROR_BYTES = 1024 * 1024;

/** The whole body. Rejects when it is longer than `maxBytes`, and when it breaks off. */
export async function readText(
  response: Dispatcher.ResponseData,
  name: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  // A body that is not read to its end says so once more.
  response.body.on('error', () => {});
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw signal.aborted
      ? signal.reason
      : noAnswer('Unreachable', name, `the answer broke off: ${describe(error as Error)}`, error);
  }
  if (length > maxBytes) throw noAnswer('TooLarge', name, `the answer is longer than ${maxBytes} bytes`);
  return Buffer.concat(chunks, length).toString('utf8');
}

/** Of JSON. Throws an ApiError for what is none, such as the page of a proxy. */
export function parseAnswer(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw noAnswer('Malformed', name, `the answer is not JSON: ${text.slice(0, 100)}`, error);
  }
}

/** Runs `work` with a signal that also aborts after `ms`, which rejects as an ApiError of reason Timeout. */
export async function withTimeout<T>(
  ms: number,
  name: string,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const scope = abortScope(outer);
  const timer = setTimeout(() => scope.abort(noAnswer('Timeout', name, `no answer within ${ms} ms`)), ms);
  try {
    return await work(scope.signal);
  } finally {
    clearTimeout(timer);
    scope.release();
  }
}

/** As errors name it. */
export function requestName({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}

export function describe(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return error.message || code || error.name;
}

function queryText(query: Readonly<Record<string, string | undefined>>): string {
  const present = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return present.length === 0 ? '' : `?${new URLSearchParams(present)}`;
}
