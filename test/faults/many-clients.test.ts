import { createServer, type Server } from 'node:http';
import { type Outcome, openHttpConnection } from '../bench/overhead/http-connection';
import { startTestGateway, type TestGateway } from '../e2e/support/gateway';
import { podStates, untilReleased } from '../e2e/support/ledger';
import { chatBody } from '../e2e/support/send';

/** Clients that wait for an answer at one time, each on a connection of its own. */
const CLIENTS = 2_048;

const ANSWER = JSON.stringify({ object: 'chat.completion', choices: [] });

let gateway: TestGateway;
const servers: Server[] = [];
/** Answers that wait until all clients have been let through. */
const waiting: Array<() => void> = [];

beforeAll(async () => {
  gateway = await startTestGateway({
    // Nothing is shed here: the question is what breaks.
    schedulers: [{ name: 'llama', modelName: 'llama' }],
    pods: ['llama-0', 'llama-1'].map((name) => ({ name, scheduler: 'llama', absent: true })),
    spec: { overload: { maxQueueTime: '1h' } },
  });
  for (const { endpoints } of gateway.local.state().schedulers) {
    for (const { address } of endpoints) servers.push(await startHoldingServer(address));
  }
}, 60_000);

afterAll(async () => {
  await gateway?.close();
  for (const server of servers) server.close();
});

/** A model server that has no metrics, and answers nobody before everybody is there. */
function startHoldingServer(address: string): Promise<Server> {
  const { hostname, port } = new URL(`http://${address}`);
  const server = createServer((request, response) => {
    request.resume();
    if (request.method !== 'POST') return void response.writeHead(404).end();
    waiting.push(() =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER),
    );
    if (waiting.length === CLIENTS) for (const answer of waiting) answer();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), hostname, () => resolve(server));
  });
}

test('2,048 requests at one time are all in flight and all answered, and none is left in a ledger', async () => {
  const { hostname, port } = new URL(gateway.url);
  const body = chatBody('llama', { max_tokens: 1 });
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: gateway', 'content-type: application/json'];
  const message = Buffer.from(`${[...head, `content-length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`);
  const counts = new Map<Outcome, number>();
  await Promise.all(
    Array.from(
      { length: CLIENTS },
      () =>
        new Promise<void>((resolve) => {
          const connection = openHttpConnection(hostname, Number(port), resolve);
          connection.send([message], (outcome) => {
            counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
            connection.destroy('done');
          });
        }),
    ),
  );
  expect(counts).toEqual(new Map([[200, CLIENTS]]));
  await untilReleased(gateway.local);
  const picks = (await podStates(gateway.local)).map((pod) => pod.picks);
  expect(picks.reduce((sum, count) => sum + count)).toBe(CLIENTS);
}, 120_000);
