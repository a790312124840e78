import { createServer, type Server } from 'node:http';
import { type Outcome, openHttpConnection } from '../bench/overhead/http-connection';
import { IN_CLUSTER, startTestGateway, type TestGateway } from './support/gateway';
import { reading } from './support/readings';
import { chatBody } from './support/send';

/** In a cluster each goes through TLS three times; still far more than what a server cuts connections after. */
const REQUESTS = IN_CLUSTER ? 8_000 : 20_000;
const CLIENTS = 16;

const ANSWER = JSON.stringify({ object: 'chat.completion', choices: [] });

let gateway: TestGateway;
const servers: Server[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: [{ name: 'llama', modelName: 'llama' }],
    pods: ['llama-0', 'llama-1'].map((name) => ({ name, scheduler: 'llama', absent: true })),
  });
  for (const pod of ['llama-0', 'llama-1']) servers.push(await startQuickServer(gateway.address(pod)));
});
afterAll(async () => {
  await gateway?.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** Answers at once, at a fraction of what a simulated model server costs, and has no metrics. */
function startQuickServer(address: string): Promise<Server> {
  const { hostname, port } = new URL(`http://${address}`);
  const server = createServer((request, response) => {
    request.resume();
    const status = request.method === 'POST' ? 200 : 404;
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), hostname, () => resolve(server));
  });
}

/** How often each outcome came: a status, or what became of the connection. */
async function sendAll(url: string, message: Buffer): Promise<ReadonlyMap<Outcome, number>> {
  const { hostname, port } = new URL(url);
  const counts = new Map<Outcome, number>();
  let left = REQUESTS;
  const client = () =>
    new Promise<void>((resolve) => {
      const connection = openHttpConnection(hostname, Number(port), resolve);
      const next = () => {
        if (left-- <= 0) return connection.destroy('done');
        connection.send([message], (outcome) => {
          counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
          if (typeof outcome === 'number') next();
        });
      };
      next();
    });
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return counts;
}

// A server that takes resets of streams for an attack, as Node's does by default, cuts all that is in flight after a
// thousand of them: then some of these requests are not picked.
test('thousands of requests, 16 at a time, are all answered and all picked', async () => {
  const body = chatBody('llama', { max_tokens: 1 });
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: gateway', 'content-type: application/json'];
  const message = Buffer.from(`${[...head, `content-length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`);

  expect(await sendAll(gateway.url, message)).toEqual(new Map([[200, REQUESTS]]));
  await gateway.untilIdle();
  const page = await gateway.metrics();
  // A picker process that is late is not waited for: another picks too.
  expect(reading(page, 'inference_extension_scheduler_e2e_duration_seconds_count')).toBeGreaterThanOrEqual(REQUESTS);
  expect(reading(page, 'inference_extension_scheduler_attempts_total', { status: 'no-answer' })).toBe(0);
}, 120_000);
