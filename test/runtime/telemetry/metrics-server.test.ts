import { startMetricsServer } from '../../../runtime/telemetry/metrics-server';

const page = async () => ({ contentType: 'text/plain', text: 'up 1\n' });

test('serves the page at /metrics and nothing else', async () => {
  const server = await startMetricsServer(page, '127.0.0.1', 0);
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);

  expect(await (await get('/metrics')).text()).toBe('up 1\n');
  expect((await get('/')).status).toBe(404);
  await server.close();
});

test('a page that fails is a 500, and the server goes on', async () => {
  const server = await startMetricsServer(() => Promise.reject(new Error('no')), '127.0.0.1', 0);

  expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(500);
  expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).toBe(500);
  await server.close();
});

test('rejects where the port is taken', async () => {
  const server = await startMetricsServer(page, '127.0.0.1', 0);

  await expect(startMetricsServer(page, '127.0.0.1', server.port)).rejects.toThrow('EADDRINUSE');
  await server.close();
});
