import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, request } from 'undici';
import { BodyBudget } from '../../../runtime/ext-proc/body-budget';
import { type Body, CONTINUE, type ProcessorStream } from '../../../runtime/ext-proc/processor';
import { type ExtProcServer, startExtProcServer } from '../../../runtime/ext-proc/server';
import { type Certificates, makeCertificates } from '../picker-rpc/support/certificates';
import { startTestEnvoy, type TestEnvoy } from './envoy-fixture';

const REQUESTS = 20_000;
const CONCURRENCY = 16;
const LONG_MS = 240_000;

/** The processor of the test in hand. */
let handlers: Partial<ProcessorStream>;
let answerUpstream: (incoming: IncomingMessage, response: ServerResponse) => void;

let processor: ExtProcServer;
let upstream: Server;
let envoy: TestEnvoy;

/** Starts the three of them; `gracefulClose` is the flag of Envoy, off by its default. Over TLS both sides show `certificates`. */
async function start(gracefulClose: boolean, certificates?: Certificates): Promise<void> {
  const stream: ProcessorStream = {
    requestHeaders: (...args) => handlers.requestHeaders?.(...args) ?? CONTINUE,
    requestBody: (...args) => handlers.requestBody?.(...args) ?? CONTINUE,
    responseHeaders: (...args) => handlers.responseHeaders?.(...args) ?? CONTINUE,
    responseBody: (...args) => handlers.responseBody?.(...args) ?? CONTINUE,
    closed: () => handlers.closed?.(),
  };
  processor = await startExtProcServer({
    processor: {
      open: () => stream,
      overloaded: () => ({
        kind: 'immediate',
        status: 503,
        headers: [['x-why', 'budget']],
        body: 'full',
        details: 'full',
      }),
    },
    listen: { host: '127.0.0.1', port: 0 },
    ...(certificates && { tls: contents(certificates) }),
    maxMessageBytes: 64 * 1024 * 1024,
    budget: new BodyBudget(30 * 1024 * 1024),
    onHandlerError: (error) => {
      throw error;
    },
  });
  upstream = createServer((incoming, response) => answerUpstream(incoming, response)).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  envoy = await startTestEnvoy({
    processor: processor.address as { host: string; port: number },
    upstream: { host: '127.0.0.1', port: upstreamPort() },
    gracefulClose,
    ...(certificates && { tls: certificates }),
  });
}

async function stop(): Promise<void> {
  await envoy.stop();
  await processor.close(0);
  upstream.closeAllConnections();
  upstream.close();
}

beforeEach(() => {
  handlers = {};
  answerUpstream = (incoming, response) => {
    const hash = createHash('sha256');
    incoming.on('data', (chunk: Buffer) => hash.update(chunk));
    incoming.on('end', () => response.end(hash.digest('hex')));
  };
});

describe.each([
  ["with Envoy's default, which resets every stream", false],
  ['with graceful close', true],
])('load %s', (_name, gracefulClose) => {
  beforeAll(() => start(gracefulClose));
  afterAll(stop);

  test(
    '20,000 requests at 16 concurrent fail not once',
    async () => {
      const pool = new Pool(envoy.url, { connections: CONCURRENCY });
      const body = JSON.stringify({ model: 'm', prompt: 'x'.repeat(500) });
      const failures: number[] = [];
      let left = REQUESTS;
      const client = async () => {
        while (left-- > 0) {
          const answer = await pool.request({ path: '/direct', method: 'POST', body });
          await answer.body.dump();
          if (answer.statusCode !== 200) failures.push(answer.statusCode);
        }
      };

      await Promise.all(Array.from({ length: CONCURRENCY }, client));
      await pool.close();

      expect(failures).toEqual([]);
      expect(processor.counters.messages).toMatchObject({ requestHeaders: REQUESTS, requestBody: REQUESTS });
      expect(processor.counters).toMatchObject({ malformed: 0, handlerErrors: 0, tooLarge: 0 });
    },
    LONG_MS,
  );
});

describe.each([
  ["with Envoy's default", false],
  ['with graceful close', true],
])('one request %s', (_name, gracefulClose) => {
  beforeAll(() => start(gracefulClose));
  afterAll(stop);

  test('bodies of 1 byte to 20 MB reach the processor and the upstream intact', async () => {
    const seen: string[] = [];
    handlers.requestBody = (body) => {
      seen.push(sha256(body.chunks));
      return CONTINUE;
    };

    for (const size of [1, 5, 1_000, 16_384, 70_000, 1_000_000, 20_000_000]) {
      const body = patterned(size);
      const answer = await request(envoy.url, { method: 'POST', body });
      expect(await answer.body.text()).toBe(sha256([body]));
      expect(seen.pop()).toBe(sha256([body]));
    }
  });

  test.each([10, 100_000, 5_000_000])('a replaced body of %i bytes arrives intact', async (size) => {
    const replacement = patterned(size);
    handlers.requestBody = () => ({
      kind: 'continue',
      body: inPieces(replacement),
      setHeaders: [['content-length', String(size)]],
    });

    const answer = await request(envoy.url, { method: 'POST', body: 'original' });

    expect(await answer.body.text()).toBe(sha256([replacement]));
  });

  test('set and removed headers take effect', async () => {
    let received: IncomingMessage['headers'] = {};
    answerUpstream = (incoming, response) => {
      received = incoming.headers;
      incoming.resume().on('end', () => response.end('ok'));
    };
    handlers.requestHeaders = (headers) => ({ kind: 'continue', setHeaders: [['x-path', headers.get(':path') ?? '']] });
    handlers.requestBody = () => ({
      kind: 'continue',
      setHeaders: [['x-overwritten', 'by the processor']],
      removeHeaders: ['x-removed'],
      clearRouteCache: true,
      lbMetadata: { name: 'value' },
    });
    handlers.responseHeaders = () => ({ kind: 'continue', setHeaders: [['x-served', 'é']] });

    const answer = await request(`${envoy.url}/a?b=c`, {
      method: 'POST',
      body: 'x',
      headers: { 'x-overwritten': 'by the client', 'x-removed': '1' },
    });
    await answer.body.dump();

    expect(received).toMatchObject({ 'x-path': '/a?b=c', 'x-overwritten': 'by the processor' });
    expect(received['x-removed']).toBeUndefined();
    expect(Buffer.from(String(answer.headers['x-served']), 'latin1').toString('utf8')).toBe('é');
  });

  test('response headers come with the address that served and the number of attempts', async () => {
    let attributes: ReadonlyMap<string, string> = new Map();
    handlers.responseHeaders = (_headers, given) => {
      attributes = given;
      return CONTINUE;
    };

    await (await request(envoy.url, { method: 'POST', body: 'x' })).body.dump();

    expect(attributes.get('upstream.address')).toBe(`127.0.0.1:${upstreamPort()}`);
    expect(attributes.get('upstream.request_attempt_count')).toBe('1');
  });

  test('an immediate answer reaches the client', async () => {
    handlers.requestHeaders = () => ({
      kind: 'immediate',
      status: 429,
      headers: [
        ['retry-after', '7'],
        ['content-type', 'application/json'],
      ],
      body: '{"error":{}}',
      details: 'saturated',
    });

    const answer = await request(envoy.url, { method: 'POST', body: 'x' });

    expect(answer.statusCode).toBe(429);
    expect(answer.headers).toMatchObject({ 'retry-after': '7', 'content-type': 'application/json' });
    expect(await answer.body.text()).toBe('{"error":{}}');
  });

  test('a request beyond the budget is refused, and one that fits is served', async () => {
    const refused = await request(envoy.url, { method: 'POST', body: patterned(31 * 1024 * 1024) });
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['x-why']).toBe('budget');
    await refused.body.dump();

    const served = await request(envoy.url, { method: 'POST', body: patterned(20_000_000) });

    expect(served.statusCode).toBe(200);
    await served.body.dump();
  });

  test('the stream is closed when the response has ended, and not before', async () => {
    let finish = () => {};
    answerUpstream = (_incoming, response) => {
      response.write('first');
      finish = () => response.end();
    };
    const closed = new Promise<void>((resolve) => {
      handlers.closed = resolve;
    });

    // The stream of a request before this one may still be ending.
    while (processor.counters.openStreams > 0) await sleep(5);
    const answer = await request(envoy.url, { method: 'POST', body: 'x' });
    expect(processor.counters.openStreams).toBe(1);
    finish();
    await answer.body.dump();

    await closed;
  });

  test('the stream is closed when the client aborts', async () => {
    answerUpstream = (_incoming, response) => response.write('first');
    const closed = new Promise<void>((resolve) => {
      handlers.closed = resolve;
    });
    const abort = new AbortController();

    const answer = await request(envoy.url, { method: 'POST', body: 'x', signal: abort.signal });
    answer.body.on('error', () => {});
    abort.abort();

    await closed;
  });

  test('a request may ask for its response body, chunk by chunk', async () => {
    const gate = { open: () => {} };
    answerUpstream = (_incoming, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: one\n\n');
      gate.open = () => response.end('data: two\n\n');
    };
    handlers.responseHeaders = () => ({ kind: 'continue', streamResponseBody: true });
    const ends: boolean[] = [];
    handlers.responseBody = (chunk, endOfStream) => {
      ends.push(endOfStream);
      return { kind: 'continue', body: inPieces(Buffer.from(chunk.toString().toUpperCase())) };
    };

    const answer = await request(envoy.url, { method: 'POST', body: 'x' });
    const chunks = answer.body[Symbol.asyncIterator]();
    const first = await chunks.next();
    gate.open();
    let rest = '';
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) rest += String(next.value);

    expect(String(first.value)).toBe('DATA: ONE\n\n');
    expect(rest).toBe('DATA: TWO\n\n');
    expect(ends.at(-1)).toBe(true);
  });
});

describe('over TLS, with certificates on both sides', () => {
  let folder: string;
  let [own, others]: Certificates[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ext-proc-tls-'));
    [own, others] = ['own', 'others'].map((name) => makeCertificates(folder, name));
  });
  afterEach(stop);
  afterAll(() => rm(folder, { recursive: true }));

  test('bodies of 1 byte to 20 MB reach the processor and the upstream intact, and 2,000 requests fail not once', async () => {
    await start(true, own);
    for (const size of [1, 16_384, 70_000, 20_000_000]) {
      const body = patterned(size);
      const answer = await request(envoy.url, { method: 'POST', body });
      expect(await answer.body.text()).toBe(sha256([body]));
    }
    let left = 2_000;
    const statuses = new Set<number>();
    const client = async () => {
      while (left-- > 0) {
        const answer = await request(`${envoy.url}/direct`, { method: 'POST', body: 'x' });
        await answer.body.dump();
        statuses.add(answer.statusCode);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, client));
    expect([...statuses]).toEqual([200]);
  }, 60_000);

  test('a certificate that has changed is used by new connections, and the open one goes on', async () => {
    await start(true, own);
    const ask = async () => {
      const answer = await request(envoy.url, { method: 'POST', body: 'x' });
      await answer.body.dump();
      return answer.statusCode;
    };
    expect(await ask()).toBe(200);
    processor.setTls(contents(others!));
    expect(await ask()).toBe(200);
    const { address } = processor;
    const strangers = await startTestEnvoy({
      processor: address as { host: string; port: number },
      upstream: { host: '127.0.0.1', port: upstreamPort() },
      gracefulClose: true,
      tls: own!,
    });
    try {
      const answer = await request(strangers.url, { method: 'POST', body: 'x' });
      await answer.body.dump();
      expect(answer.statusCode).toBe(500);
    } finally {
      await strangers.stop();
    }
  });
});

function contents({ ca, cert, key }: Certificates) {
  return { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) };
}

function upstreamPort(): number {
  return (upstream.address() as AddressInfo).port;
}

function sha256(chunks: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

/** Bytes in which a lost, doubled or displaced piece shows. */
function patterned(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(at, at);
  return bytes;
}

function inPieces(bytes: Buffer): Body {
  const half = Math.floor(bytes.length / 2);
  return { length: bytes.length, chunks: [bytes.subarray(0, half), bytes.subarray(half)] };
}
