import { createConnection } from 'node:net';
import { startTestGateway, type TestGateway } from './support/gateway';
import { chatBody, send } from './support/send';
import { withoutRouter } from './support/without-router';

let g: TestGateway;
beforeAll(async () => {
  g = await startTestGateway({
    schedulers: [
      { name: 'a', modelName: 'a' },
      { name: 'b', modelName: 'b' },
    ],
    spec: { bbr: { enabled: true, maxRequestBodyBytes: 1048576 } },
    pods: [
      { name: 'a0', scheduler: 'a' },
      { name: 'b0', scheduler: 'b' },
    ],
  });
});
afterAll(() => g?.close());
const raw = (text: string) =>
  new Promise<string>((resolve) => {
    const { hostname, port } = new URL(g.url);
    const s = createConnection(Number(port), hostname, () => s.write(text));
    let o = '';
    s.on('data', (c) => {
      o += c;
      if (o.includes('}}') || o.includes('\r\n\r\n')) setTimeout(() => s.destroy(), 200);
    });
    s.on('close', () => resolve(o));
    s.on('error', () => {});
  });
test('x', async () => {
  const out: unknown[] = [];
  const show = async (name: string, p: ReturnType<typeof send>) => {
    const r = await p.catch((e) => e);
    out.push(name, r.status ?? r, JSON.stringify(r.headers), r.body?.toString().slice(0, 300));
  };
  await show('1B', send(g.url, '/v1/chat/completions', { body: 'x' }));
  await show('413 len', send(g.url, '/v1/chat/completions', { body: Buffer.alloc(1048577, 32) }));
  await show(
    '413 chunk',
    send(g.url, '/v1/chat/completions', { body: Array.from({ length: 40 }, () => Buffer.alloc(65536, 32)) }),
  );
  await show('413 big', send(g.url, '/v1/chat/completions', { body: Buffer.alloc(20 << 20, 32) }));
  await show('431', send(g.url, '/v1/models', { headers: { x: 'y'.repeat(100_000) } }));
  await show('get', send(g.url, '/metrics'));
  await show('get', send(g.url, '/'));
  await show('head', send(g.url, '/v1/models', { method: 'HEAD' }));
  await show('ready', send(g.url, '/ready'));
  await show('health', send(g.url, '/health'));
  await show('delete', send(g.url, '/v1/models/a', { method: 'DELETE' }));
  await show('options', send(g.url, '/v1/chat/completions', { method: 'OPTIONS', headers: { origin: 'http://x' } }));
  await show(
    'explain',
    send(g.url, '/v1/chat/completions', { body: chatBody('a'), headers: { 'x-gateway-explain': '1' } }),
  );
  await show('bad path', send(g.url, '/v1/nothing', { body: chatBody('a') }));
  out.push('raw', await raw('GARBAGE\r\n\r\n'));
  out.push('raw2', await raw('GET /v1/models HTTP/1.1\r\nhost: x\r\ncontent-length: abc\r\n\r\n'));
  out.push(
    'raw3',
    await raw(
      'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ),
  );
  await withoutRouter(g, async () => {
    await show('dead', send(g.url, '/v1/chat/completions', { body: chatBody('a') }));
    await show('dead', send(g.url, '/v1/models'));
  });
  await g.pod('a0').kill();
  await show('killed', send(g.url, '/v1/chat/completions', { body: chatBody('a') }));
  console.log(out.join('\n'), g.logs.join(''));
});
