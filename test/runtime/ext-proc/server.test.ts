import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectSocket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ListenAddress } from '../../../runtime/ext-proc/listen';
import { type Answer, CONTINUE, type ProcessorStream } from '../../../runtime/ext-proc/processor';
import { type ExtProcServer, type ExtProcServerOptions, startExtProcServer } from '../../../runtime/ext-proc/server';
import { selfSigned } from '../gie-picker/self-signed';
import { frame, goldenFrame } from './golden';

const PROCESS = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
const HEALTH = '/grpc.health.v1.Health/Check';
const WATCH = '/grpc.health.v1.Health/Watch';
const SERVING = '00000000020801';
const NOT_SERVING = '00000000020802';
const HEADERS_ANSWER = '00000000040a020a00';

let servers: ExtProcServer[] = [];
let sessions: ClientHttp2Session[] = [];
afterEach(async () => {
  for (const session of sessions) session.destroy();
  await Promise.all(servers.map((server) => server.close(0)));
  servers = [];
  sessions = [];
});

async function startServer(
  handlers: Partial<ProcessorStream> = {},
  listen: ListenAddress = { host: '127.0.0.1', port: 0 },
  options: Pick<ExtProcServerOptions, 'tls' | 'ready' | 'onRefused'> = {},
) {
  const closed: string[] = [];
  const idle = () => CONTINUE;
  const server = await startExtProcServer({
    processor: {
      open: () => ({
        requestHeaders: idle,
        requestBody: idle,
        responseHeaders: idle,
        responseBody: idle,
        ...handlers,
        closed: () => closed.push('closed'),
      }),
      overloaded: () => ({ kind: 'immediate', status: 503, headers: [], body: '', details: '' }),
    },
    listen,
    maxMessageBytes: 100_000,
    onHandlerError: () => {},
    ...options,
  });
  servers.push(server);
  return { server, closed };
}

function connectTo(address: ListenAddress): ClientHttp2Session {
  const session =
    'path' in address
      ? connect('http://localhost', { createConnection: () => connectSocket(address.path) })
      : connect(`http://${address.host}:${address.port}`);
  session.on('error', () => {});
  sessions.push(session);
  return session;
}

function call(session: ClientHttp2Session, path = PROCESS): ClientHttp2Stream {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  stream.on('error', () => {});
  return stream;
}

/** Everything the server says on a stream, and its grpc-status. */
async function outcome(stream: ClientHttp2Stream): Promise<{ answers: string; status: string | undefined }> {
  let status: string | undefined;
  const chunks: Buffer[] = [];
  stream.on('trailers', (trailers) => {
    status = trailers['grpc-status']?.toString();
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await closeOf(stream);
  return { answers: Buffer.concat(chunks).toString('hex'), status };
}

/** Unlike `once`, not rejected by an error, which a reset is to the client. */
function closeOf(stream: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => stream.once('close', () => resolve()));
}

/** Resolves once the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('over TLS', () => {
  const overTls = async () => {
    const identity = selfSigned();
    const { server } = await startServer({}, { host: '127.0.0.1', port: 0 }, { tls: identity });
    return { server, identity, port: (server.address as { port: number }).port };
  };

  test('answers a client that offers h2', async () => {
    const { identity, port } = await overTls();
    const session = connect(`https://localhost:${port}`, { ca: identity.cert });
    sessions.push(session);
    const stream = call(session);
    stream.end(goldenFrame('requestHeaders'));

    expect(await outcome(stream)).toEqual({ answers: HEADERS_ANSWER, status: '0' });
    expect(session.alpnProtocol).toBe('h2');
  });

  test('takes only clients with a certificate of its authority where it has one, and says why it refuses others', async () => {
    const [own, stranger] = [selfSigned(), selfSigned()];
    const refused: string[] = [];
    const { server } = await startServer(
      {},
      { host: '127.0.0.1', port: 0 },
      { tls: { ...own, ca: own.cert }, onRefused: (reason) => refused.push(reason) },
    );
    const { port } = server.address as { port: number };
    const ask = (shown: { cert: string; key: string } | undefined) => {
      const session = connect(`https://localhost:${port}`, { ca: own.cert, ...shown });
      session.on('error', () => {});
      sessions.push(session);
      return outcome(call(session, HEALTH).end());
    };

    expect(await ask(own)).toEqual({ answers: SERVING, status: '0' });
    expect(await ask(undefined)).toEqual({ answers: '', status: undefined });
    expect(await ask(stranger)).toEqual({ answers: '', status: undefined });
    await until(() => refused.length === 2);
    expect(refused[0]).toContain('peer did not return a certificate');
    expect(refused[1]).toContain('its certificate is refused: DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  test('new connections get the certificate that was set last, and the open ones go on', async () => {
    const [first, second] = [selfSigned(), selfSigned()];
    const { server } = await startServer({}, { host: '127.0.0.1', port: 0 }, { tls: first });
    const { port } = server.address as { port: number };
    const trusting = (ca: string) => {
      const session = connect(`https://localhost:${port}`, { ca });
      session.on('error', () => {});
      sessions.push(session);
      return session;
    };
    const old = trusting(first.cert);
    expect((await outcome(call(old, HEALTH).end())).answers).toBe(SERVING);

    server.setTls(second);

    expect((await outcome(call(trusting(second.cert), HEALTH).end())).answers).toBe(SERVING);
    expect((await outcome(call(trusting(first.cert), HEALTH).end())).answers).toBe('');
    expect((await outcome(call(old, HEALTH).end())).answers).toBe(SERVING);
  });

  test('closes though a client has not done its handshake', async () => {
    const { server, port } = await overTls();
    const socket = connectSocket(port, '127.0.0.1');
    await once(socket, 'connect');
    await new Promise(setImmediate);
    const gone = once(socket, 'close');

    await server.close(0);
    await gone;
  });

  test('does not start with a key that is none', async () => {
    const tls = { ...selfSigned(), key: 'none' };
    await expect(startServer({}, { host: '127.0.0.1', port: 0 }, { tls })).rejects.toThrow();
  });
});

describe('startExtProcServer', () => {
  test('answers messages and ends with OK when the peer half-closes', async () => {
    const { server, closed } = await startServer();
    const stream = call(connectTo(server.address));

    stream.end(goldenFrame('requestHeaders'));

    expect(await outcome(stream)).toEqual({ answers: HEADERS_ANSWER, status: '0' });
    expect(closed).toEqual(['closed']);
  });

  test('closes the stream of a peer that resets', async () => {
    const { server, closed } = await startServer();
    const stream = call(connectTo(server.address));
    stream.write(goldenFrame('requestHeaders'));
    await once(stream, 'data');

    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    await until(() => server.counters.openStreams === 0);

    expect(closed).toEqual(['closed']);
  });

  test('closes all streams of a lost connection', async () => {
    const { server, closed } = await startServer();
    const session = connectTo(server.address);
    const streams = [call(session), call(session)];
    for (const stream of streams) stream.write(goldenFrame('requestHeaders'));
    await Promise.all(streams.map((stream) => once(stream, 'data')));

    session.destroy();
    await until(() => server.counters.openStreams === 0);

    expect(closed).toEqual(['closed', 'closed']);
  });

  test('ends the stream of a failing processor, and of a peer that goes on sending, with INTERNAL', async () => {
    const { server } = await startServer({
      requestHeaders: () => {
        throw new Error('bug');
      },
    });
    const stream = call(connectTo(server.address));

    stream.write(goldenFrame('requestHeaders'));

    expect((await outcome(stream)).status).toBe('13');
    expect(server.counters.handlerErrors).toBe(1);
  });

  test('refuses a malformed stream without harm to another on the same connection', async () => {
    const { server } = await startServer();
    const session = connectTo(server.address);
    const good = call(session);
    good.write(goldenFrame('requestHeaders'));
    await once(good, 'data');
    const bad = call(session);

    bad.write(frame(Buffer.from([0xff, 0xff])));
    expect((await outcome(bad)).status).toBe('3');
    good.end(goldenFrame('requestHeaders'));

    expect(await outcome(good)).toMatchObject({ status: '0' });
  });

  test('refuses other methods, and what is not gRPC', async () => {
    const { server } = await startServer();
    const session = connectTo(server.address);

    expect((await outcome(call(session, '/other/Method').end())).status).toBe('12');
    const plain = session.request({ ':path': '/' });
    const [headers] = (await once(plain, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(415);
  });

  test('sends an answer that is larger than the windows of a client as slowly as that reads', async () => {
    const body = Buffer.alloc(3_000_000);
    for (let at = 0; at < body.length; at += 4) body.writeUInt32LE(at, at);
    const { server } = await startServer({
      requestBody: () => ({ kind: 'continue', body: { length: body.length, chunks: [body] } }),
    });
    const stream = call(connectTo(server.address));
    stream.end(goldenFrame('requestBody'));

    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      await new Promise(setImmediate);
    }

    const answer = Buffer.concat(chunks);
    expect(answer.length).toBe(answer.readUInt32BE(1) + 5);
    expect(answer.subarray(-body.length).equals(body)).toBe(true);
  });

  test('answers the streams of one connection in whatever order their answers come', async () => {
    const settles: ((answer: Answer) => void)[] = [];
    const { server } = await startServer({
      requestHeaders: () => new Promise((resolve) => settles.push(resolve)),
    });
    const session = connectTo(server.address);
    const streams = [call(session), call(session), call(session)];
    for (const stream of streams) stream.write(goldenFrame('requestHeaders'));
    await until(() => settles.length === 3);

    for (const index of [2, 0, 1]) {
      settles[index]!(CONTINUE);
      const [answer] = (await once(streams[index]!, 'data')) as [Buffer];
      expect(answer.toString('hex')).toBe(HEADERS_ANSWER);
    }
  });

  test('serves 5000 streams in a row that the peer resets, on one connection', async () => {
    const { server } = await startServer();
    const session = connectTo(server.address);
    const frameOfHeaders = goldenFrame('requestHeaders');
    const one = async () => {
      const stream = call(session);
      stream.write(frameOfHeaders);
      await once(stream, 'data');
      stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      await closeOf(stream);
    };

    for (let done = 0; done < 5000; done += 50) await Promise.all(Array.from({ length: 50 }, one));

    expect(session.closed).toBe(false);
    await until(() => server.counters.openStreams === 0);
    expect(server.counters.messages.requestHeaders).toBe(5000);
  });

  test('survives any bytes on a stream, and goes on serving', async () => {
    const { server } = await startServer();
    const session = connectTo(server.address);
    const mutated = fc
      .tuple(
        fc.constantFrom('requestHeaders' as const, 'requestBody' as const, 'responseHeaders' as const),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 3 }),
        fc.nat(400),
      )
      .map(([name, flips, length]) => {
        const bytes = Buffer.from(goldenFrame(name));
        for (const [at, mask] of flips) bytes[at % bytes.length]! ^= mask;
        return bytes.subarray(0, Math.max(1, length % (bytes.length + 1)));
      });
    const random = fc.uint8Array({ minLength: 1, maxLength: 100 }).map((bytes) => Buffer.from(bytes));

    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(mutated, random), { minLength: 1, maxLength: 4 }), async (pieces) => {
        const stream = call(session);
        for (const piece of pieces) stream.write(piece);
        stream.end();
        expect((await outcome(stream)).status).toMatch(/^(0|3|8)$/);
      }),
      { numRuns: 300 },
    );

    const good = call(session);
    good.end(goldenFrame('requestHeaders'));
    expect(await outcome(good)).toEqual({ answers: HEADERS_ANSWER, status: '0' });
    expect(server.counters.handlerErrors).toBe(0);
  });

  test('survives bytes that are not HTTP/2', async () => {
    const { server } = await startServer();
    const address = server.address as { host: string; port: number };
    const socket = connectSocket(address.port, address.host);
    socket.on('error', () => {});
    socket.resume();
    socket.write('GET / HTTP/1.1\r\n\r\n\0\0\0\0');
    await once(socket, 'close');

    const stream = call(connectTo(server.address));
    stream.end(goldenFrame('requestHeaders'));

    expect((await outcome(stream)).status).toBe('0');
  });
});

describe('close', () => {
  test('lets an open stream end and refuses new connections', async () => {
    let settle!: (answer: Answer) => void;
    const { server } = await startServer({
      requestHeaders: () =>
        new Promise((resolve) => {
          settle = resolve;
        }),
    });
    const session = connectTo(server.address);
    const stream = call(session);
    stream.write(goldenFrame('requestHeaders'));
    await until(() => settle !== undefined);

    const closing = server.close(60_000);
    settle(CONTINUE);
    stream.end();

    expect((await outcome(stream)).status).toBe('0');
    await closing;
    await expect(once(connectTo(server.address), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('cuts streams that do not end in time, and closes them', async () => {
    const { server, closed } = await startServer();
    const stream = call(connectTo(server.address));
    stream.write(goldenFrame('requestHeaders'));
    await once(stream, 'data');

    await server.close(10);
    await until(() => server.counters.openStreams === 0);

    expect(closed).toEqual(['closed']);
  });
});

describe('health', () => {
  test('is SERVING until the server drains', async () => {
    const { server } = await startServer();
    const session = connectTo(server.address);
    const request = frame(Buffer.alloc(0));

    expect(await outcome(call(session, HEALTH).end(request))).toEqual({ answers: '00000000020801', status: '0' });
    const check = call(session, HEALTH);
    await once(check, 'response');
    const closing = server.close(60_000);
    check.end(request);

    expect(await outcome(check)).toEqual({ answers: '00000000020802', status: '0' });
    await closing;
  });
});

describe('a watch of the health', () => {
  /** The statuses that have come, in order, and what ends the watch. */
  const watch = (session: ClientHttp2Session) => {
    const stream = call(session, WATCH);
    const told: string[] = [];
    stream.on('data', (chunk: Buffer) => told.push(chunk.toString('hex')));
    stream.end(frame(Buffer.alloc(0)));
    return { stream, told };
  };

  test('tells the status at once, and then each change and nothing else', async () => {
    let ready = false;
    const { server } = await startServer({}, undefined, { ready: () => ready });
    const { told } = watch(connectTo(server.address));
    await until(() => told.length === 1);
    server.healthChanged();
    ready = true;
    server.healthChanged();
    server.healthChanged();
    await until(() => told.length === 2);
    ready = false;
    server.healthChanged();
    await until(() => told.length === 3);
    expect(told).toEqual([NOT_SERVING, SERVING, NOT_SERVING]);
  });

  test('is told NOT_SERVING and ended when the server drains, and does not hold the drain up', async () => {
    const { server } = await startServer();
    const { stream, told } = watch(connectTo(server.address));
    await until(() => told.length === 1);
    const ending = outcome(stream);
    await server.close(60_000);
    expect(await ending).toEqual({ answers: NOT_SERVING, status: '14' });
  });

  test('that its client has left costs nothing more', async () => {
    let asked = 0;
    const { server } = await startServer({}, undefined, { ready: () => ++asked > 0 });
    const session = connectTo(server.address);
    const { stream, told } = watch(session);
    await until(() => told.length === 1);
    stream.close(constants.NGHTTP2_CANCEL);
    expect((await outcome(call(session, HEALTH).end())).answers).toBe(SERVING);
    const before = asked;
    server.healthChanged();
    expect(asked).toBe(before);
  });
});

describe('a Unix socket', () => {
  test('is served, though a killed process left its file behind', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ext-proc-'));
    const path = join(dir, 'socket');
    const stale = createServer().listen(path);
    await once(stale, 'listening');
    // Closing removes the file by its name; a kill does not.
    await rename(path, `${path}.kept`);
    stale.close();
    await once(stale, 'close');
    await rename(`${path}.kept`, path);

    const { server } = await startServer({}, { path });
    const stream = call(connectTo(server.address));
    stream.end(goldenFrame('requestHeaders'));

    expect((await outcome(stream)).status).toBe('0');
    await rm(dir, { recursive: true });
  });

  test('that another server answers on is left alone', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ext-proc-'));
    const path = join(dir, 'socket');
    await startServer({}, { path });

    await expect(startServer({}, { path })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await rm(dir, { recursive: true });
  });

  test('tells health checks NOT_SERVING until it is ready', async () => {
    let ready = false;
    const { server } = await startServer({}, undefined, { ready: () => ready });
    const session = connectTo(server.address);
    const health = async () => {
      const stream = call(session, HEALTH);
      stream.end();
      return (await outcome(stream)).answers;
    };

    expect(await health()).toBe('00000000020802');
    ready = true;
    expect(await health()).toBe('00000000020801');
  });
});
