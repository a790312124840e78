import { type ClientHttp2Stream, connect } from 'node:http2';
import { Readable } from 'node:stream';
import { Agent, request } from 'undici';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface Asked {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without a content-length where it comes in pieces. */
  readonly body?: string | readonly string[];
  readonly signal?: AbortSignal;
}

/** Asks a gateway over HTTPS, paths as they are written: POST with a body, else GET. */
export interface GatewayClient {
  /** Over HTTP/1.1. */
  ask(path: string, asked?: Asked): Promise<Answer>;
  /** On a connection of its own. */
  askHttp2(path: string, asked?: Asked): Promise<Answer>;
  close(): Promise<void>;
}

/** No answer takes longer. Milliseconds. */
const LIMIT_MS = 120_000;

/** `ca`: PEM. By HTTP/1.1 each request has a connection of its own, unless there is `one` for all. */
export function gatewayClient(host: string, ca: string, one = false): GatewayClient {
  const dispatcher = new Agent({
    ...{ allowH2: false, headersTimeout: LIMIT_MS, bodyTimeout: LIMIT_MS, connect: { ca } },
    ...(one ? { connections: 1 } : { pipelining: 0 }),
  });
  return {
    async ask(path, asked = {}) {
      const { body, signal } = asked;
      const answer = await request(`https://${host}`, {
        ...{ dispatcher, path, method: body === undefined ? 'GET' : 'POST', signal: signal ?? null },
        headers: headersOf(asked),
        body: typeof body === 'object' ? Readable.from(body) : (body ?? null),
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    },
    async askHttp2(path, asked = {}) {
      const session = connect(`https://${host}`, { ca });
      const { body } = asked;
      const stream = session.request({
        ...{ ':path': path, ':method': body === undefined ? 'GET' : 'POST' },
        ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }),
        ...headersOf(asked),
      });
      try {
        return await answerOf(stream, typeof body === 'string' ? [body] : (body ?? []), (failed) =>
          session.once('error', failed),
        );
      } finally {
        session.destroy();
      }
    },
    close: () => dispatcher.close(),
  };
}

const headersOf = ({ token, headers, body }: Asked) => ({
  ...(body !== undefined && { 'content-type': 'application/json' }),
  ...(token !== undefined && { authorization: `Bearer ${token}` }),
  ...headers,
});

function answerOf(
  stream: ClientHttp2Stream,
  body: readonly string[],
  onFailure: (failed: (error: Error) => void) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let head: Answer['headers'] & { readonly ':status'?: number } = {};
    let text = '';
    onFailure(reject);
    stream.setEncoding('utf8');
    stream.once('response', (received) => {
      head = received as typeof head;
    });
    stream.on('data', (chunk: string) => {
      text += chunk;
    });
    stream.once('end', () => resolve({ status: head[':status'] ?? 0, headers: head, text }));
    stream.once('error', reject);
    for (const part of body) stream.write(part);
    stream.end();
  });
}
