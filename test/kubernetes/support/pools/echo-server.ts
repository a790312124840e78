/**
 * A pod of a pool, as tests see it: answers at each port with what it was asked, at `/stream` in pieces. Arguments:
 * `PORT` or `PORT=h2c`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a pod says of a request. */
export interface Echo {
  readonly pod: string;
  readonly port: number;
  readonly path: string;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bodyBytes: number;
  readonly body: string;
}

type Asked = IncomingMessage | Http2ServerRequest;
type Answered = ServerResponse | Http2ServerResponse;

const PIECES = 10;
const PIECE_MS = 100;

/** Of a body, in the answer. */
const MOST_ECHOED = 1_000;

const handler = (port: number) => (request: Asked, response: Answered) => {
  answer(port, request, response).catch((error: unknown) => {
    console.error(error);
    response.destroy();
  });
};

async function answer(port: number, request: Asked, response: Answered): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const echo: Echo = {
    pod: process.env.POD_NAME ?? '',
    port,
    path: request.url ?? '',
    httpVersion: request.httpVersion,
    headers: request.headers as Echo['headers'],
    bodyBytes: body.length,
    body: body.toString('utf8').slice(0, MOST_ECHOED),
  };
  if (!request.url?.includes('/stream')) {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(echo));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const write = (text: string) => (response as ServerResponse).write(text);
  for (let piece = 0; piece < PIECES; piece += 1) {
    write(`data: {"piece":${piece}}\n\n`);
    await sleep(PIECE_MS);
  }
  response.end('data: [DONE]\n\n');
}

for (const argument of process.argv.slice(2)) {
  const [text, protocol] = argument.split('=');
  const port = Number(text);
  const server = protocol === 'h2c' ? createHttp2Server(handler(port)) : createServer(handler(port));
  server.listen(port, '0.0.0.0');
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
