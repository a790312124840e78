import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { abortScope } from './abort-scope';
import type { WatchEvent } from './api-client';
import { isApiError, noAnswer, refusal } from './api-error';
import { type ApiRequest, describe, type HttpRequests, requestName } from './http-requests';
import { LineSplitter } from './line-splitter';

export interface WatchStreamOptions {
  readonly signal: AbortSignal;
  /** Milliseconds to the first byte of the answer. */
  readonly openTimeoutMs: number;
  /** Milliseconds without a byte after which it is given up. */
  readonly silenceMs: number;
  readonly onOpen: () => void;
}

/** An object is at most 1.5 MiB where it is stored, and JSON is larger. Bytes. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** The events of one watch, to its end. A slow reader holds the server back; its time is no silence. */
export async function* watchStream(
  requests: HttpRequests,
  request: ApiRequest,
  { signal, openTimeoutMs, silenceMs, onOpen }: WatchStreamOptions,
): AsyncGenerator<WatchEvent, void, undefined> {
  const name = requestName(request);
  const scope = abortScope(signal);
  const limit = setTimeout(() => {
    scope.abort(noAnswer('Timeout', name, `no answer within ${openTimeoutMs} ms`));
  }, openTimeoutMs);
  try {
    const { body } = await requests.send(request, scope.signal).finally(() => clearTimeout(limit));
    try {
      onOpen();
      for await (const line of lines(body, silenceMs, () => scope.abort(silence(name, silenceMs)))) {
        const event = parseWatchEvent(line, name);
        if (event !== undefined) yield event;
      }
    } finally {
      // A body that is not read to its end says so once more.
      body.on('error', () => {}).destroy();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (scope.signal.aborted) throw scope.signal.reason;
    if (isApiError(error)) throw error;
    if (error instanceof RangeError) throw noAnswer('TooLarge', name, error.message, error);
    throw noAnswer('Unreachable', name, `the watch broke off: ${describe(error as Error)}`, error);
  } finally {
    scope.release();
  }
}

function silence(name: string, ms: number): Error {
  return noAnswer('Timeout', name, `the watch said nothing for ${ms / 1000} s`);
}

async function* lines(
  body: AsyncIterable<Buffer>,
  silenceMs: number,
  onSilence: () => void,
): AsyncGenerator<string, void, undefined> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  const pieces = body[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(onSilence, silenceMs);
    const piece = await pieces.next().finally(() => clearTimeout(timer));
    if (piece.done) break;
    yield* splitter.push(piece.value);
  }
  if (splitter.pending > 0) throw new Error('it ended within an event');
}

/** One line of a watch. Throws an ApiError for an ERROR event, and for what is no event. Undefined: of a type to come. */
function parseWatchEvent(line: string, name: string): WatchEvent | undefined {
  const { type, object } = parseLine(line, name);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: checkedObject(object, name) };
    case 'BOOKMARK': {
      const version = (object as Partial<KubernetesObject> | undefined)?.metadata?.resourceVersion;
      if (typeof version !== 'string') throw noAnswer('Malformed', name, 'a bookmark has no resourceVersion');
      return { type, resourceVersion: version };
    }
    case 'ERROR': {
      const code = (object as { code?: unknown } | undefined)?.code;
      throw refusal(typeof code === 'number' ? code : 500, JSON.stringify(object ?? {}), name);
    }
    default:
      return undefined;
  }
}

/** Throws an ApiError where `value` could not be an object of a cluster. */
export function checkedObject(value: unknown, name: string): KubernetesObject {
  const metadata = typeof value === 'object' && value !== null && 'metadata' in value ? value.metadata : undefined;
  if (typeof metadata === 'object' && metadata !== null && 'name' in metadata && typeof metadata.name === 'string') {
    return value as KubernetesObject;
  }
  throw noAnswer('Malformed', name, 'the answer holds something that is no Kubernetes object');
}

function parseLine(line: string, name: string): { readonly type?: unknown; readonly object?: unknown } {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {}
  throw noAnswer('Malformed', name, `a watch sent what is no event: ${line.slice(0, 100)}`);
}
