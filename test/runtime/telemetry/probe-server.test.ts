import { type ProbeServer, startProbeServer } from '../../../runtime/telemetry/probe-server';

const PAGE = async () => ({ contentType: 'text/plain', text: 'up 1\n' });

let server: ProbeServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(options: Partial<Parameters<typeof startProbeServer>[0]> = {}) {
  const started = await startProbeServer({ host: '127.0.0.1', port: 0, page: PAGE, ready: () => true, ...options });
  server = started;
  return (path: string, method = 'GET') => fetch(`http://127.0.0.1:${started.port}${path}`, { method });
}

test('readiness has details after the word that counts', async () => {
  let ready = false;
  const get = await start({ ready: () => ready, details: () => ['objects: known for 3 s'] });
  const of = async () => (await get('/readyz')).text();
  expect(await of()).toBe('not ready\nobjects: known for 3 s\n');
  ready = true;
  expect(await of()).toBe('ok\nobjects: known for 3 s\n');
});

test('serves the page at /metrics and nothing at other paths', async () => {
  const get = await start();
  expect(await (await get('/metrics')).text()).toBe('up 1\n');
  expect((await get('/')).status).toBe(404);
  expect((await get('/healthz', 'POST')).status).toBe(404);
});

test('a page that fails is a 500, and the server goes on', async () => {
  const get = await start({ page: () => Promise.reject(new Error('no')) });
  expect((await get('/metrics')).status).toBe(500);
  expect((await get('/metrics')).status).toBe(500);
});

test('before there is a page /metrics is 503', async () => {
  const get = await start({ page: () => undefined });
  expect((await get('/metrics')).status).toBe(503);
});

test('/readyz follows readiness, /healthz does not', async () => {
  let ready = false;
  const get = await start({ ready: () => ready });
  expect([(await get('/readyz')).status, (await get('/healthz')).status]).toEqual([503, 200]);
  ready = true;
  expect([(await get('/readyz')).status, (await get('/healthz')).status]).toEqual([200, 200]);
});

test('rejects where the port is taken', async () => {
  await start();
  await expect(start({ port: server!.port })).rejects.toThrow('EADDRINUSE');
});
