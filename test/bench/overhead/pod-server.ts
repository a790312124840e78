/** Model servers that answer at once, all in one process: each has its own loopback address, all have the same port. */
import { createServer, type Server, type Socket } from 'node:net';
import { serveParent } from './child-process';
import { createMetricsPages } from './metrics-page';
import { createRequestSplitter } from './request-splitter';

export type PodsRequest =
  | { readonly kind: 'start'; readonly pods: number; readonly model: string }
  /** Whether the pods say in their metrics that they have work. */
  | { readonly kind: 'working'; readonly working: boolean }
  | { readonly kind: 'counts' };

export interface PodsResponse {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly scrapes: number;
  readonly completions: number;
  readonly pageBytes: number;
}

const ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_790_000_000,
  model: 'bench',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1_000, completion_tokens: 2, total_tokens: 1_002 },
});
const COMPLETION = message('application/json', ANSWER);
const NOT_FOUND = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');

const addresses: string[] = [];
let port = 0;
let scrapes = 0;
let completions = 0;
let working = false;
let pageBytes = 0;
let busyPages: readonly Buffer[] = [];
let idlePages: readonly Buffer[] = [];

async function handle(request: PodsRequest): Promise<PodsResponse> {
  if (request.kind === 'start') await start(request.pods, request.model);
  if (request.kind === 'working') working = request.working;
  return { addresses, port, scrapes, completions, pageBytes };
}

async function start(pods: number, model: string): Promise<void> {
  const pages = createMetricsPages(model);
  pageBytes = pages.bytes;
  busyPages = pages.busy.map((page) => message('text/plain; version=0.0.4; charset=utf-8', page));
  idlePages = [message('text/plain; version=0.0.4; charset=utf-8', pages.idle)];
  for (let pod = 1; pod <= pods; pod++) {
    const address = `127.0.1.${pod}`;
    const server = createServer({ noDelay: true }, serve);
    port = await listen(server, address, port);
    addresses.push(address);
  }
}

function serve(socket: Socket): void {
  const split = createRequestSplitter((method, path) => {
    if (method === 'POST') {
      completions += 1;
      socket.write(COMPLETION);
    } else if (path === '/metrics') {
      const pages = working ? busyPages : idlePages;
      socket.write(pages[scrapes++ % pages.length]!);
    } else {
      socket.write(NOT_FOUND);
    }
  });
  socket.on('data', (chunk: Buffer) => {
    try {
      split(chunk);
    } catch (error) {
      socket.destroy(error as Error);
    }
  });
  socket.on('error', () => {});
}

function listen(server: Server, address: string, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, address, () => resolve((server.address() as { port: number }).port));
  });
}

function message(contentType: string, body: string): Buffer {
  const head = ['HTTP/1.1 200 OK', 'server: uvicorn', `content-type: ${contentType}`, `content-length: ${body.length}`];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

serveParent(handle);
