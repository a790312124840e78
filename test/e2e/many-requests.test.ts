import { createServer, type Server } from 'node:http';
import { type Outcome, openHttpConnection } from '../bench/overhead/http-connection';
import { startTestGateway, type TestGateway } from './support/gateway';
import { podStates, untilReleased } from './support/ledger';
import { chatBody } from './support/send';

const REQUESTS = 20_000;
const CLIENTS = 16;

const ANSWER = JSON.stringify({ object: 'chat.completion', choices: [] });

let gateway: TestGateway;
const servers: Server[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({
    schedulers: [{ name: 'llama', modelName: 'llama' }],
    pods: ['llama-0', 'llama-1'].map((name) => ({ name, scheduler: 'llama', absent: true })),
  });
  for (const { endpoints } of gateway.local.state().schedulers) {
    for (const { address } of endpoints) servers.push(await startQuickServer(address));
  }
});
afterAll(async () => {
  await gateway?.close();
  for (const server of servers) server.close();
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
test('20,000 requests, 16 at a time, are all answered and all picked', async () => {
  const body = chatBody('llama', { max_tokens: 1 });
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: gateway', 'content-type: application/json'];
  const message = Buffer.from(`${[...head, `content-length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`);

  expect(await sendAll(gateway.url, message)).toEqual(new Map([[200, REQUESTS]]));
  await untilReleased(gateway.local);
  const pods = await podStates(gateway.local);
  expect(pods.reduce((sum, { picks }) => sum + picks, 0)).toBe(REQUESTS);
}, 120_000);
