import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestGateway, type TestGateway } from './support/gateway';
import { chatBody, type Received, send } from './support/send';
import { withoutRouter } from './support/without-router';

/** Two schedulers, and a default backend that a forged header must not reach. */
let several: TestGateway;
/** One scheduler, which Envoy balances on by itself while the router is dead. */
let single: TestGateway;
/** The default backend of `several`, and an address that belongs to no pod. */
let decoy: Server;
let decoyRequests = 0;

beforeAll(async () => {
  decoy = createServer((_request, response) => {
    decoyRequests += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => decoy.listen(0, '0.0.0.0', resolve));
  const defaultBackend = { name: 'localhost', port: (decoy.address() as AddressInfo).port };
  [several, single] = await Promise.all([
    startTestGateway({
      schedulers: [
        { name: 'a', modelName: 'model-a' },
        { name: 'b', modelName: 'model-b' },
      ],
      spec: { bbr: { enabled: true, defaultBackend } },
      pods: [
        { name: 'a-ready', scheduler: 'a' },
        { name: 'a-unready', scheduler: 'a', ready: false },
        { name: 'b-ready', scheduler: 'b' },
      ],
    }),
    startTestGateway({
      schedulers: [{ name: 'only', modelName: 'model-a' }],
      pods: [
        { name: 'ready', scheduler: 'only' },
        // Envoy sends to a pod that is not ready only where a header names it.
        { name: 'unready', scheduler: 'only', ready: false },
      ],
    }),
  ]);
}, 240_000);

afterAll(async () => {
  await Promise.all([several?.close(), single?.close()]);
  decoy?.close();
  decoy?.closeAllConnections();
});

/** Headers that choose an address or forge a decision, in a client's hand. */
function addressHeaders(address: string): [string, string | string[]][] {
  return [
    ...['x-gateway-', 'x-llm-d-'].flatMap((prefix): [string, string | string[]][] => [
      [`${prefix}destination-endpoint`, address],
      [`${prefix}destination-endpoint-subset`, address],
      [`${prefix}destination-endpoint-served`, address],
      [`${prefix}base-model-name`, 'model-b'],
      [`${prefix}model-name-rewrite`, 'model-b'],
    ]),
    ['X-Gateway-Destination-Endpoint', address],
    ['x-gateway-destination-endpoint', [address, address]],
    ['x-gateway-default-backend', 'true'],
  ];
}

/** Headers that are for the gateway alone. */
const FOR_THE_GATEWAY: [string, string][] = [
  ...['x-gateway-', 'x-llm-d-'].flatMap((prefix): [string, string][] => [
    [`${prefix}inference-objective`, 'forged'],
    [`${prefix}inference-fairness-id`, 'forged'],
    [`${prefix}slo-ttft-ms`, 'forged'],
    [`${prefix}slo-tpot-ms`, 'forged'],
    [`${prefix}explain`, 'forged'],
    [`${prefix}decision`, 'forged'],
  ]),
  ['x-slo-ttft-ms', 'forged'],
  ['x-slo-tpot-ms', 'forged'],
  ['x-llm-d-model-name', 'forged'],
  ['x-prefiller-host-port', 'forged'],
  ['x-prefiller-url', 'forged'],
  ['x-data-parallel-host-port', 'forged'],
];

function attack(gateway: TestGateway, headers: Record<string, string | string[]>): Promise<Received> {
  return send(gateway.url, '/v1/chat/completions', { body: chatBody('model-a'), headers });
}

/** The headers that the latest request of a pod arrived with. */
async function arrived(gateway: TestGateway, pod: string): Promise<Readonly<Record<string, string>>> {
  return (await gateway.pod(pod).requests()).at(-1)!.headers;
}

/** How many requests reached those that must get none. */
async function strays(): Promise<number> {
  const totals = [several.pod('a-unready'), several.pod('b-ready'), single.pod('unready')].map((pod) => pod.total());
  return (await Promise.all(totals)).reduce((sum, total) => sum + total, decoyRequests);
}

describe('while the router runs', () => {
  test("none of a client's headers chooses where its request goes", async () => {
    const before = await strays();
    for (const address of [several.address('a-unready'), several.address('b-ready')]) {
      for (const [name, value] of addressHeaders(address)) {
        const answer = await attack(several, { [name]: value });
        expect([name, answer.status, answer.headers['x-gateway-destination-endpoint-served']]).toEqual([
          name,
          200,
          several.address('a-ready'),
        ]);
      }
    }
    expect(await strays()).toBe(before);
  });

  test('the model server sees what the router decided, and nothing that the client forged', async () => {
    const forged = [...addressHeaders(several.address('b-ready')), ...FOR_THE_GATEWAY];
    await attack(several, Object.fromEntries([...forged, ['x-gateway-model-name', 'model-b']]));
    const headers = await arrived(several, 'a-ready');
    const control = Object.entries(headers).filter(([name]) => /gateway|llm-d|slo|prefiller|parallel/.test(name));
    expect(Object.fromEntries(control)).toEqual({
      'x-gateway-model-name': 'model-a',
      'x-gateway-base-model-name': 'model-a',
      'x-gateway-destination-endpoint': several.address('a-ready'),
    });
  });

  test('a Connection header that names the headers of the router does not take them away', async () => {
    const connection = 'x-gateway-base-model-name, x-gateway-destination-endpoint, x-gateway-model-name';
    const answer = await attack(several, { connection });
    expect(answer.headers['x-gateway-destination-endpoint-served']).toBe(several.address('a-ready'));
    expect(await arrived(several, 'a-ready')).toMatchObject({ 'x-gateway-base-model-name': 'model-a' });
  });

  test("a client's x-gateway-model-name names the model where the body has none", async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=B', 'x-gateway-model-name': 'model-b' };
    const body = '--B\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\nspeech\r\n--B--\r\n';
    const answer = await send(several.url, '/v1/audio/transcriptions', { headers, body });
    expect([answer.status, answer.headers['x-gateway-destination-endpoint-served']]).toEqual([
      200,
      several.address('b-ready'),
    ]);
  });

  test("a client's x-gateway-model-name gives a request without a body its scheduler", async () => {
    const answer = await send(several.url, '/version', { headers: { 'x-gateway-model-name': 'model-b' } });
    expect(answer.json()).toEqual({ version: 'simulator' });
    expect(answer.headers['x-gateway-destination-endpoint-served']).toBe(several.address('b-ready'));
  });

  test('only a request for an unknown model goes to the default backend, and without forged headers', async () => {
    const before = decoyRequests;
    const answer = await send(several.url, '/v1/chat/completions', { body: chatBody('nobody') });
    expect([answer.status, decoyRequests - before]).toEqual([200, 1]);
  });
});

describe('while the router is dead', () => {
  test('with one scheduler Envoy balances over its ready pods, whatever a client names', async () => {
    const before = await strays();
    const headers = addressHeaders(single.address('unready'));
    const seen = await withoutRouter(single, async () => {
      const answers: unknown[] = [];
      for (const [name, value] of headers) {
        const { status, headers: answered } = await attack(single, { [name]: value });
        const forged = Object.keys(await arrived(single, 'ready')).filter((key) => /^x-(gateway|llm-d)/.test(key));
        answers.push([name, status, answered['x-gateway-destination-endpoint-served'], forged]);
      }
      return answers;
    });
    expect(seen).toEqual(headers.map(([name]) => [name, 200, single.address('ready'), []]));
    expect(await strays()).toBe(before);
  });

  test('with several schedulers a client is answered 503 at once, whatever it names', async () => {
    const before = await strays();
    const served = await several.pod('a-ready').total();
    const headers: [string, string | string[]][] = [
      ...addressHeaders(several.address('b-ready')),
      ['x-gateway-model-name', 'model-b'],
    ];
    const seen = await withoutRouter(several, async () => {
      const answers: unknown[] = [];
      for (const [name, value] of headers) {
        const answer = await attack(several, { [name]: value });
        answers.push([name, answer.status, typeof answer.json().error.code]);
      }
      return answers;
    });
    expect(seen).toEqual(headers.map(([name]) => [name, 503, 'string']));
    expect(await strays()).toBe(before);
    expect(await several.pod('a-ready').total()).toBe(served);
  });
});
