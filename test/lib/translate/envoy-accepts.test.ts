import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import type { EnvoyState } from '../../../lib/translate/envoy';
import { endpoint, schedulerState } from './builders';
import { type LiveEnvoy, type LiveServer, listenOn, request, startLiveEnvoy, validateWithEnvoy } from './live-envoy';

const LIMIT = 52_428_800;
const SERVED = 'x-gateway-destination-endpoint-served';
const DEAD = '127.0.0.1:1';

const stateOf = (schedulers: EnvoyState['schedulers'], fields: Partial<EnvoyState> = {}): EnvoyState => ({
  maxRequestBodyBytes: LIMIT,
  schedulers,
  ...fields,
});
const oneScheduler = (...addresses: string[]) =>
  stateOf([
    schedulerState(
      'm1',
      addresses.map((one) => endpoint(one)),
    ),
  ]);

describe('envoy --mode validate', () => {
  it('accepts one scheduler', () => validateWithEnvoy(oneScheduler('127.0.0.1:80')));

  it('accepts several, HTTP/2, a default backend and a scheduler without pods', () =>
    validateWithEnvoy(
      stateOf(
        [
          schedulerState('m1', [endpoint('[::1]:80')], { appProtocol: 'kubernetes.io/h2c', routeTimeoutMs: 1_500 }),
          schedulerState('m2', []),
        ],
        { defaultBackend: { name: 'localhost', port: 80 } },
      ),
    ));
});

describe('a real Envoy whose processor is dead', () => {
  let envoy: LiveEnvoy;
  let a: LiveServer;
  let b: LiveServer;
  const servers: LiveServer[] = [];
  const serve = async (server: net.Server) => {
    const live = await listenOn(server);
    servers.push(live);
    return live;
  };
  /** Answers with its name and the bytes received; `/slow` takes half a second, `/headers` shows the headers. */
  const pod = (name: string) =>
    serve(
      http.createServer((incoming, outgoing) => {
        let bytes = 0;
        incoming.on('data', (chunk) => {
          bytes += chunk.length;
        });
        incoming.on('end', () => {
          if (incoming.url === '/hang') return;
          if (incoming.url === '/headers') outgoing.end(JSON.stringify(incoming.headers));
          else if (incoming.url === '/slow') {
            outgoing.write(name);
            setTimeout(() => outgoing.end(' end'), 500);
          } else outgoing.setHeader(SERVED, 'forged').end(`${name} ${bytes}`);
        });
      }),
    );
  const post = (options: http.RequestOptions & { body?: string | Buffer } = {}) =>
    request({ port: envoy.port, path: '/v1/chat/completions', body: '{}', ...options });

  beforeAll(async () => {
    [a, b] = [await pod('a'), await pod('b')];
    envoy = await startLiveEnvoy(oneScheduler(a.address, b.address), { streamIdleTimeoutMs: 3_000 });
  });
  afterAll(async () => {
    await envoy.stop();
    await Promise.all(servers.map((server) => server.close()));
  });

  const openAiError = (code: string) => ({
    error: { message: expect.any(String), type: expect.any(String), param: null, code },
  });
  const expectError = (reply: Awaited<ReturnType<typeof post>>, status: number, code: string) => {
    expect(reply.status).toBe(status);
    expect(reply.headers['content-type']).toBe('application/json');
    expect(JSON.parse(reply.body)).toEqual(openAiError(code));
  };

  describe('with one scheduler', () => {
    beforeAll(() => envoy.change(oneScheduler(a.address, b.address)));

    it('balances over its pods, says which one served, and gives a request id', async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => post()));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      for (const { headers, body } of replies) {
        expect(headers[SERVED]).toBe(body.startsWith('a') ? a.address : b.address);
        expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      }
      expect(new Set(replies.map(({ body }) => body))).toEqual(new Set(['a 2', 'b 2']));
    });

    it('does not obey a client that names an address', async () => {
      const headers = { 'X-Gateway-Destination-Endpoint': a.address, 'x-llm-d-destination-endpoint': a.address };
      const replies = await Promise.all(Array.from({ length: 20 }, () => post({ headers })));
      expect(new Set(replies.map(({ body }) => body))).toEqual(new Set(['a 2', 'b 2']));
    });

    it('passes the model header on, and no header that forges a decision', async () => {
      const headers = { 'x-gateway-model-name': 'm', 'x-gateway-base-model-name': 'x', 'x-envoy-max-retries': '99' };
      const seen = JSON.parse((await post({ path: '/headers', headers })).body);
      expect(seen['x-gateway-model-name']).toBe('m');
      expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['x-gateway-base-model-name']));
      expect(Object.keys(seen)).not.toEqual(expect.arrayContaining(['x-envoy-max-retries']));
    });

    it.each([225_280, 20_971_520, LIMIT])('takes a body of %d bytes over HTTP/1.1 and HTTP/2', async (bytes) => {
      const body = Buffer.alloc(bytes, 'x');
      expect((await post({ body })).body).toMatch(new RegExp(`^[ab] ${bytes}$`));
      expect((await post({ body, headers: { 'transfer-encoding': 'chunked' } })).body).toMatch(
        new RegExp(` ${bytes}$`),
      );
      expect(await postHttp2(envoy.port, body)).toMatchObject({
        status: 200,
        body: expect.stringMatching(` ${bytes}$`),
      });
    });

    it('refuses a larger body with 413', async () => {
      const body = Buffer.alloc(LIMIT + 1);
      expectError(await post({ body }), 413, 'body_too_large');
      const overHttp2 = await postHttp2(envoy.port, body);
      expect(overHttp2.status).toBe(413);
      expect(JSON.parse(overHttp2.body)).toEqual(openAiError('body_too_large'));
    });

    it('refuses what is no path with 404', async () => {
      expectError(await post({ method: 'OPTIONS', path: '*' }), 404, 'no_route');
    });

    it('refuses an upgrade with 403', async () => {
      const headers = { connection: 'upgrade', upgrade: 'websocket' };
      expectError(await post({ headers }), 403, 'forbidden');
    });
  });

  describe('when pods fail', () => {
    const change = (...addresses: string[]) => envoy.change(oneScheduler(...addresses));

    it('answers 503 without the served header when there is no pod', async () => {
      await change();
      const reply = await post();
      expectError(reply, 503, 'service_unavailable');
      expect(reply.headers).not.toHaveProperty(SERVED);
    });

    it('answers 503 without the served header when no pod can be connected to', async () => {
      await change(DEAD);
      const reply = await post();
      expectError(reply, 503, 'service_unavailable');
      expect(reply.headers).not.toHaveProperty(SERVED);
    });

    it('uses no pod that is not ready', async () => {
      await envoy.change(stateOf([schedulerState('m1', [endpoint(a.address, { ready: false })])]));
      expectError(await post(), 503, 'service_unavailable');
    });

    it('goes on to another pod when one is dead or resets, with the whole body', async () => {
      const resets = await serve(
        net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy())),
      );
      await change(DEAD, resets.address, a.address);
      const body = Buffer.alloc(1_000_000);
      for (let n = 0; n < 20; n++) expect(await post({ body })).toMatchObject({ status: 200, body: 'a 1000000' });
    });

    it('answers 502 when the pod speaks no HTTP', async () => {
      const garbage = await serve(
        net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end('?\r\n\r\n'))),
      );
      await change(garbage.address);
      expectError(await post(), 502, 'bad_gateway');
    });

    it('answers 504 when the pod is silent for the stream idle time-out', async () => {
      await change(a.address);
      expectError(await post({ path: '/hang' }), 504, 'gateway_timeout');
    });

    describe('and the scheduler says how to retry', () => {
      const withRetry = async (attempts: number, afterDispatch: boolean, ...addresses: string[]) => {
        const endpoints = addresses.map((one) => endpoint(one));
        await envoy.change(stateOf([schedulerState('m1', endpoints, { retry: { attempts, afterDispatch } })]));
        const replies = await Promise.all(Array.from({ length: 20 }, () => post()));
        return new Set(replies.map(({ status }) => status));
      };

      it('goes on after no failure where it must not', async () => {
        expect(await withRetry(0, true, DEAD, a.address)).toEqual(new Set([200, 503]));
      });

      it('goes on from a pod that cannot be reached, and not from one that has the request already', async () => {
        const resets = await serve(
          net.createServer((socket) => socket.on('error', () => {}).once('data', () => socket.resetAndDestroy())),
        );
        expect(await withRetry(2, false, DEAD, a.address)).toEqual(new Set([200]));
        expect(await withRetry(2, false, resets.address, a.address)).toEqual(new Set([200, 503]));
        expect(await withRetry(2, true, resets.address, a.address)).toEqual(new Set([200]));
      });
    });

    it("leaves a pod's own errors alone", async () => {
      const failing = await serve(http.createServer((_, outgoing) => outgoing.writeHead(503).end('mine')));
      await change(failing.address);
      expect(await post()).toMatchObject({ status: 503, body: 'mine' });
    });
  });

  describe('with several schedulers', () => {
    beforeAll(() =>
      envoy.change(stateOf([schedulerState('m1', [endpoint(a.address)]), schedulerState('m2', [endpoint(b.address)])])),
    );

    it('answers 503 whatever model or address the client names', async () => {
      expectError(await post(), 503, 'router_unavailable');
      for (const name of ['x-gateway-base-model-name', 'x-gateway-model-name', 'x-gateway-default-backend']) {
        const headers = { [name]: 'm1', 'x-gateway-destination-endpoint': a.address };
        expectError(await post({ headers }), 503, 'router_unavailable');
      }
    });
  });

  it('loses nothing while pools, pods, limits and schedulers change under load', async () => {
    const first = oneScheduler(a.address, b.address);
    const states = [
      stateOf([schedulerState('m2', [endpoint(a.address)])], { maxRequestBodyBytes: 1_000 }),
      stateOf([schedulerState('m2', [endpoint(b.address)], { routeTimeoutMs: 60_000 })]),
      first,
      oneScheduler(b.address),
    ];
    await envoy.change(first);
    const long = Array.from({ length: 4 }, () => post({ path: '/slow' }));
    let running = true;
    const statuses = new Set<number>();
    const agent = new http.Agent({ keepAlive: true });
    const loops = Array.from({ length: 4 }, async () => {
      while (running) statuses.add((await post({ agent })).status);
    });
    for (const state of states) await envoy.change(state);
    running = false;
    await Promise.all(loops);
    agent.destroy();
    expect(statuses).toEqual(new Set([200]));
    for (const reply of await Promise.all(long)) expect(reply.body).toMatch(/^[ab] end$/);
    expect(await envoy.stats('listener_modified|total_listeners_draining')).toMatch(/listener_modified: 0/);
  });

  it('loses nothing while the listener changes under load, neither a new request nor one under way', async () => {
    const holding = (emptyPoolHoldMs: number, claims = false) => {
      const overload = { maxQueueTimeMs: 1, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 1, emptyPoolHoldMs };
      return stateOf([schedulerState('m1', [endpoint(a.address), endpoint(b.address)], { overload })], { claims });
    };
    await envoy.change(holding(0));
    const changes = async () =>
      Number(/in_place_updated: (\d+)/.exec(await envoy.stats('listener_manager.listener_in_place_updated'))![1]);
    const before = await changes();
    const long = Array.from({ length: 4 }, () => post({ path: '/slow' }));
    let running = true;
    const statuses = new Set<number>();
    const agent = new http.Agent({ keepAlive: true });
    const loops = Array.from({ length: 4 }, async () => {
      while (running) statuses.add((await post({ agent })).status);
    });
    for (const state of [holding(1_000), holding(9_000), holding(9_000, true), holding(0)]) await envoy.change(state);
    running = false;
    await Promise.all(loops);
    agent.destroy();
    expect(statuses).toEqual(new Set([200]));
    for (const reply of await Promise.all(long)) expect(reply.body).toMatch(/^[ab] end$/);
    expect(await changes()).toBe(before + 4);
  });
});

describe('a real Envoy whose memory is full', () => {
  it('answers new requests with 503, and serves again afterwards', async () => {
    const pod = await listenOn(http.createServer((_, outgoing) => outgoing.end('ok')));
    const heap = 100 * 1_048_576;
    const envoy = await startLiveEnvoy(oneScheduler(pod.address), { maxHeapBytes: heap });
    const post = () => request({ port: envoy.port, body: '{}' });
    // Uploads that stall: 85 to 100 % of the heap.
    const held: http.ClientRequest[] = [];
    for (let share = 0; share < 0.84; share += 0.14) {
      const upload = http.request({ port: envoy.port, host: '127.0.0.1', method: 'POST', agent: false });
      upload.on('error', () => {}).write(Buffer.alloc(0.14 * heap));
      held.push(upload);
    }
    let reply = await post();
    while (reply.status === 200) reply = await post();
    expect(reply.status).toBe(503);
    expect(JSON.parse(reply.body).error.code).toBe('gateway_overloaded');
    for (const upload of held) upload.destroy();
    while (reply.status !== 200) reply = await post();
    await envoy.stop();
    await pod.close();
  });
});

function postHttp2(port: number, body: Buffer): Promise<{ status: unknown; body: string }> {
  return new Promise((resolve) => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    session.on('error', () => {});
    const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions' });
    let status: unknown;
    let text = '';
    stream.on('response', (headers) => {
      status = headers[':status'];
    });
    stream.on('data', (chunk) => {
      text += chunk;
    });
    // Envoy resets the rest of an upload that it has refused.
    stream.on('error', () => {});
    stream.on('close', () => {
      session.close();
      resolve({ status, body: text });
    });
    stream.end(body);
  });
}
