import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { toBinary } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import { logVerbosity, type ServiceError, setLogVerbosity, status } from '@grpc/grpc-js';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { HealthStatus } from '../../../../runtime/envoy-api/generated/envoy/config/core/v3/health_check_pb';
import { ClusterLoadAssignmentSchema } from '../../../../runtime/envoy-api/generated/envoy/config/endpoint/v3/endpoint_pb';
import { RouteConfigurationSchema } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_pb';
import { assignment } from '../../../../runtime/inference-pools/discovery/assignment';
import type { EndpointSource } from '../../../../runtime/inference-pools/discovery/endpoint-source';
import { createPoolMetrics } from '../../../../runtime/inference-pools/metrics';
import { extensionHooks } from '../../../../runtime/inference-pools/server/extension-hooks';
import { type PoolServer, startPoolServer } from '../../../../runtime/inference-pools/server/pool-server';
import type { BackendsOfRoutes } from '../../../../runtime/inference-pools/xds/translate';
import { ApiError, noAnswer } from '../../../../runtime/kubernetes/api-error';
import { until } from '../../../support/until';
import { fixedCertificates, newTrust, type Trust } from '../support/mutual-tls';
import { PoolClient, type Shown } from '../support/pool-client';
import { DISCOVERY, leadsTo, picked } from '../support/pools';
import { cluster, leading, route, routes } from '../support/xds';

const RULE = 'httproute/models/chat/rule/0';

let trust: Trust;
let server: PoolServer;
let warnings: string[];
let registry: Registry;
let readBackends: (signal: AbortSignal) => Promise<BackendsOfRoutes>;
let source: FakeSource;
let clients: PoolClient[];

/** Endpoints as a test says. */
class FakeSource implements EndpointSource {
  private readonly listeners = new Map<string, Set<(assignment: Any) => void>>();
  private readonly known = new Map<string, Any>();
  error: Error | undefined;

  subscribe(name: string, listener: (assignment: Any) => void) {
    if (this.error) throw this.error;
    const listeners = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, listeners.add(listener));
    const known = this.known.get(name);
    if (known) listener(known);
    return () => void listeners.delete(listener);
  }

  tell(name: string, address: string): void {
    const endpoints = assignment(name, [[{ address, port: 8000, health: HealthStatus.HEALTHY }]]);
    const told = anyPack(ClusterLoadAssignmentSchema, endpoints);
    this.known.set(name, told);
    for (const listener of this.listeners.get(name) ?? []) listener(told);
  }

  get wanted(): number {
    return [...this.listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

beforeAll(async () => {
  // It writes of its own to the console that it cannot listen.
  setLogVerbosity(logVerbosity.NONE);
  trust = await newTrust();
});
beforeEach(async () => {
  warnings = [];
  registry = new Registry();
  clients = [];
  readBackends = () => Promise.resolve(new Map([['models/chat', [[leadsTo('alpha')]]]]));
  source = new FakeSource();
  server = await startPoolServer(
    { host: '127.0.0.1', port: 0 },
    {
      hooks: extensionHooks({ discovery: () => DISCOVERY, readBackends: (_, signal) => readBackends(signal) }),
      source,
      certificates: fixedCertificates(trust),
      log: pino({ level: 'warn' }, { write: (line) => warnings.push((JSON.parse(line) as { msg: string }).msg) }),
      metrics: createPoolMetrics(registry),
    },
  );
});
afterEach(async () => {
  for (const client of clients) client.close();
  await server.close();
});

function connect(shown: Shown = trust, port = server.port): PoolClient {
  const client = new PoolClient(port, shown);
  clients.push(client);
  return client;
}

/** A way to the server that can be cut. */
async function startPath(to: number) {
  const sockets: Socket[] = [];
  const path = createServer((socket) => {
    const onward = createConnection(to, '127.0.0.1');
    sockets.push(socket, onward);
    pipeline(socket, onward, socket, () => {});
  });
  await new Promise<void>((resolve) => path.listen(0, '127.0.0.1', resolve));
  return {
    port: (path.address() as AddressInfo).port,
    async cut() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => path.close(resolve));
    },
  };
}

const connectEnvoy = () => connect({ ca: trust.ca, client: trust.envoy });

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: ServiceError) => error,
  );

const chat = () => ({ clusters: [cluster(RULE)], routes: [routes(route(RULE, leading(RULE), [picked('alpha')]))] });

describe('Envoy Gateway', () => {
  test('is answered by the hooks', async () => {
    const client = connect();

    const { route: same } = await client.postRouteModify({ route: route(RULE, leading(RULE)) });
    const { clusters } = await client.postTranslateModify(chat());

    expect(same?.name).toBe(`${RULE}/match/0/*`);
    const found = clusters.find(({ name }) => name === RULE);
    expect(found?.edsClusterConfig?.serviceName).toBe('inference-pool/models/alpha');
  });

  test('may have a configuration of many megabytes', async () => {
    const filler = 'x'.repeat(1_000);
    const many = Array.from({ length: 12_500 }, (_, n) => route(`${RULE}/${n}/${filler}`, leading('other')));
    const configuration = routes(...many);
    const size = toBinary(RouteConfigurationSchema, configuration).length;
    expect(size).toBeGreaterThan(12 << 20);

    const { routes: answered } = await connect().postTranslateModify({ routes: [configuration] });

    expect(toBinary(RouteConfigurationSchema, answered[0]!).length).toBe(size);
  });

  test.each([
    ['is down', noAnswer('Unreachable', 'GET /', 'connect ECONNREFUSED')],
    ['refuses', new ApiError({ code: 403, reason: 'Forbidden', request: 'GET /', message: 'is forbidden' })],
  ])('is told to try again where the API server %s', async (_, failure) => {
    readBackends = () => Promise.reject(failure);

    const error = await rejection(connect().postTranslateModify(chat()));

    expect(error).toMatchObject({ code: status.UNAVAILABLE, details: failure.message });
    expect(warnings).toEqual([expect.stringContaining('keep the configuration that they have')]);
  });

  test('is refused where what it sends cannot be read', async () => {
    const extensionResources = [{ unstructuredBytes: Buffer.from('{') }];
    const request = { route: route(RULE, leading(RULE)), postRouteContext: { extensionResources } };

    expect(await rejection(connect().postRouteModify(request))).toMatchObject({ code: status.INTERNAL });
  });

  test('that waits no longer has nothing asked for it any more', async () => {
    let ended = false;
    readBackends = (signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          ended = true;
          reject(signal.reason as Error);
        });
      });

    const error = await rejection(connect().postTranslateModify(chat(), 200));

    expect(error?.code).toBe(status.DEADLINE_EXCEEDED);
    await until('the question is given up', () => ended);
  });
});

describe('Envoys', () => {
  const [ALPHA, BETA] = ['inference-pool/models/alpha', 'inference-pool/models/beta'];

  test('are told what they ask for, all the same', async () => {
    source.tell(ALPHA, '10.0.0.1');
    const streams = [connectEnvoy(), connectEnvoy()].map((client) => client.streamEndpoints());
    for (const stream of streams) stream.ask(ALPHA, BETA);
    for (const { told } of streams) await until('the first is told', () => told.length === 1);

    source.tell(BETA, '10.0.0.2');
    for (const { told } of streams) await until('the second is told', () => told.length === 2);
    source.tell(ALPHA, '10.0.0.3');
    for (const { told } of streams) await until('the change is told', () => told.length === 3);

    const expected = [`${ALPHA}: 10.0.0.1 8000`, `${BETA}: 10.0.0.2 8000`, `${ALPHA}: 10.0.0.3 8000`];
    expect(streams.map(({ told }) => told)).toEqual([expected, expected]);
  });

  test.each(['end', 'cancel'] as const)('that %s want nothing any more', async (way) => {
    const stream = connectEnvoy().streamEndpoints();
    stream.ask(ALPHA);
    await until('it is wanted', () => source.wanted === 1);

    stream[way]();

    await until('it is not wanted', () => source.wanted === 0);
  });

  test('that vanish want nothing any more', async () => {
    const path = await startPath(server.port);
    connect({ ca: trust.ca, client: trust.envoy }, path.port).streamEndpoints().ask(ALPHA);
    await until('it is wanted', () => source.wanted === 1);

    await path.cut();

    await until('it is not wanted', () => source.wanted === 0);
  });

  test('that refuse are told of in the log, in not too many words', async () => {
    const stream = connectEnvoy().streamEndpoints();
    stream.ask(ALPHA);
    stream.refuse('x'.repeat(10_000));

    await until('it is logged', () => warnings.length > 0);
    expect(warnings[0]).toMatch(/^an Envoy refuses endpoints: x+/);
    expect(warnings[0]!.length).toBeLessThan(600);
  });

  test('whose request fails have their stream ended, and the others go on', async () => {
    const [failing, other] = [connectEnvoy().streamEndpoints(), connectEnvoy().streamEndpoints()];
    other.ask(ALPHA);
    await until('it is wanted', () => source.wanted === 1);
    source.error = new Error('more than 10000 names are asked for');

    failing.ask(BETA);
    await until('the stream has ended', () => failing.ended !== undefined, 15_000);

    expect(failing.ended).toMatchObject({ details: 'more than 10000 names are asked for' });
    source.tell(ALPHA, '10.0.0.1');
    await until('the other is told', () => other.told.length === 1);
  });
});

describe('nobody is heard', () => {
  test('without a certificate', async () => {
    const error = await rejection(connect({ ca: trust.ca }).postTranslateModify(chat()));

    expect(error?.code).toBe(status.UNAVAILABLE);
    expect(warnings).toEqual([]);
  });

  test('with a certificate of somebody else', async () => {
    const { client } = await newTrust();

    const error = await rejection(connect({ ca: trust.ca, client }).postTranslateModify(chat()));

    expect(error?.code).toBe(status.UNAVAILABLE);
    expect(warnings).toEqual([]);
  });
});

describe('who is heard is heard for his own things alone', () => {
  test('an Envoy may not ask as Envoy Gateway does', async () => {
    const error = await rejection(connectEnvoy().postTranslateModify(chat()));

    expect(error).toMatchObject({ code: status.PERMISSION_DENIED });
  });

  test('nor Envoy Gateway as an Envoy', async () => {
    const stream = connect().streamEndpoints();
    stream.ask('inference-pool/models/alpha');
    await until('the stream has ended', () => stream.ended !== undefined, 15_000);

    expect(stream.ended).toMatchObject({ code: status.PERMISSION_DENIED });
    expect(source.wanted).toBe(0);
  });
});

describe('when it closes', () => {
  test('streams that are open are ended, and it has closed', async () => {
    const stream = connectEnvoy().streamEndpoints();
    stream.ask('inference-pool/models/alpha');
    await until('it is wanted', () => source.wanted === 1);

    await server.close();

    await until('the stream has ended', () => stream.ended !== undefined);
    expect(source.wanted).toBe(0);
  });

  test('what is under way ends well', async () => {
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      readBackends = () => {
        resolve();
        return new Promise((done) => {
          answer = () => done(new Map());
        });
      };
    });
    const response = connect().postTranslateModify(chat());
    await asked;

    const closed = server.close();
    answer();

    expect((await response).clusters.length).toBeGreaterThan(0);
    await closed;
  });

  test('nothing new is taken', async () => {
    await server.close();

    expect((await rejection(connect().postTranslateModify(chat())))?.code).toBe(status.UNAVAILABLE);
  });
});

test('where it cannot listen it says so', async () => {
  const started = startPoolServer(
    { host: '127.0.0.1', port: server.port },
    {
      hooks: extensionHooks({ discovery: () => DISCOVERY, readBackends: (_, signal) => readBackends(signal) }),
      source,
      certificates: fixedCertificates(trust),
      log: pino({ level: 'silent' }),
      metrics: createPoolMetrics(new Registry()),
    },
  );

  await expect(started).rejects.toThrow('EADDRINUSE');
});

test('what is asked, and who follows endpoints, is counted', async () => {
  const count = async (text: string) => (await registry.metrics()).includes(text);
  const client = connect();
  await client.postTranslateModify(chat());
  readBackends = () => Promise.reject(noAnswer('Unreachable', 'GET /', 'connect ECONNREFUSED'));
  await rejection(client.postTranslateModify(chat()));
  const stream = connectEnvoy().streamEndpoints();
  stream.ask('inference-pool/models/alpha');
  await until('it is wanted', () => source.wanted === 1);

  const asked = 'inference_gateway_controller_extension_duration_seconds_count{hook="translation",outcome=';
  expect([await count(`${asked}"answered"} 1`), await count(`${asked}"failed"} 1`)]).toEqual([true, true]);
  expect(await count('inference_gateway_controller_endpoint_streams 1')).toBe(true);
  stream.end();
  await until('it is not wanted', () => source.wanted === 0);
  expect(await count('inference_gateway_controller_endpoint_streams 0')).toBe(true);
});
