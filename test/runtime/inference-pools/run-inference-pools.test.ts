import { createServer } from 'node:net';
import { logVerbosity, type ServiceError, setLogVerbosity, status } from '@grpc/grpc-js';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { CONTROLLER, INFERENCE_POOL_SECRETS } from '../../../lib/translate/cluster/names';
import type { Certificate } from '../../../runtime/controller/certificates/issue';
import { createPoolMetrics } from '../../../runtime/inference-pools/metrics';
import { runInferencePools } from '../../../runtime/inference-pools/run-inference-pools';
import { systemClock } from '../../../runtime/kubernetes/clock';
import { assertFree } from '../../../runtime/local/free-address';
import { freePorts } from '../../engines/support/free-ports';
import { until } from '../../support/until';
import { ApiBench } from './support/api-bench';
import { newTrust, type Trust } from './support/mutual-tls';
import { pod, pool } from './support/objects';
import { PoolClient } from './support/pool-client';
import { picked } from './support/pools';
import { cluster, leading, route, routes } from './support/xds';

const RULE = 'httproute/models/chat/rule/0';
const SERVER_NAME = `${CONTROLLER}.system.svc.cluster.local`;
const HTTP_ROUTE = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'chat', namespace: 'models' },
  spec: {
    rules: [{ backendRefs: [{ group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'alpha' }] }],
  },
};
const REQUEST = { clusters: [cluster(RULE)], routes: [routes(route(RULE, leading(RULE), [picked('alpha')]))] };

let bench: ApiBench;
let port: number;
let trust: Trust;
let clients: PoolClient[];

beforeAll(() => {
  // It writes of its own to the console that it cannot listen.
  setLogVerbosity(logVerbosity.NONE);
});
beforeEach(async () => {
  bench = await ApiBench.open();
  [port = 0] = await freePorts(1);
  trust = await newTrust(SERVER_NAME);
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.close();
  await bench.close();
});

/** `log`: what it says, in order. */
function start() {
  const log: string[] = [];
  const ended = runInferencePools({
    ...bench.options,
    clock: systemClock,
    installation: {
      systemNamespace: 'system',
      envoyNamespace: 'system',
      gatewayControllerName: 'example.com/gateways',
      image: { reference: 'example.com/inference-gateway:1', pullPolicy: 'IfNotPresent', pullSecrets: [] },
      clusterDomain: 'cluster.local',
    },
    listen: { host: '127.0.0.1', port },
    log: pino({}, { write: (line) => log.push((JSON.parse(line) as { msg: string }).msg) }),
    metrics: createPoolMetrics(new Registry()),
  });
  return { log, ended, listens: () => until('it listens', () => log.some((line) => line.includes('can connect'))) };
}

function connect(client = trust.client): PoolClient {
  const connected = new PoolClient(port, { ca: trust.ca, client }, SERVER_NAME);
  clients.push(connected);
  return connected;
}

/** As the controller's leader does. */
function putCertificates({ ca, server, envoy }: Trust): void {
  const secret = (name: string, { certificate, key }: Certificate): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'system' },
    data: Object.fromEntries(
      Object.entries({ 'tls.crt': certificate, 'tls.key': key, 'ca.crt': ca }).map(([name, text]) => [
        name,
        Buffer.from(text).toString('base64'),
      ]),
    ),
  });
  bench.put(secret(INFERENCE_POOL_SECRETS.server, server), secret(INFERENCE_POOL_SECRETS.envoy, envoy));
}

test('pools are backends: what Envoy Gateway is answered has Envoys ask here for their pods', async () => {
  bench.put(HTTP_ROUTE, pool(), pod('a', '10.0.0.1'));
  putCertificates(trust);
  const { listens } = start();
  await listens();
  const client = connect();

  const { clusters } = await client.postTranslateModify(REQUEST);
  const { serviceName, edsConfig } = clusters.find(({ name }) => name === RULE)!.edsClusterConfig!;
  const source = edsConfig?.configSourceSpecifier;
  const target = source?.case === 'apiConfigSource' ? source.value.grpcServices[0]?.targetSpecifier : undefined;
  expect(target).toMatchObject({ value: { targetUri: `dns:///${SERVER_NAME}:9006` } });
  const stream = connect(trust.envoy).streamEndpoints();
  stream.ask(serviceName);

  await until('the pod is told', () => stream.told.length > 0);
  expect(stream.told).toEqual(['inference-pool/models/alpha: 10.0.0.1 8000']);
});

test('before the certificates are there nobody can connect', async () => {
  const { log, listens } = start();
  const early = await connect()
    .postTranslateModify(REQUEST)
    .catch((error: ServiceError) => error.code);
  expect([early, log]).toEqual([status.UNAVAILABLE, []]);

  putCertificates(trust);
  await listens();
});

test('certificates that are made anew are shown, and asked for, without a pause', async () => {
  bench.put(HTTP_ROUTE);
  putCertificates(trust);
  const { listens } = start();
  await listens();
  const former = connect();
  await former.postTranslateModify(REQUEST);

  trust = await newTrust(SERVER_NAME);
  putCertificates(trust);

  await until('the new ones are taken', async () => {
    const client = new PoolClient(port, trust, SERVER_NAME);
    const isTaken = client.postTranslateModify(REQUEST).then(
      () => true,
      () => false,
    );
    return isTaken.finally(() => client.close());
  });
  expect((await former.postTranslateModify(REQUEST)).clusters).not.toEqual([]);
});

describe('it ends with the signal', () => {
  test('when it serves', async () => {
    putCertificates(trust);
    const { ended, listens } = start();
    await listens();

    bench.stop.abort();

    await ended;
    await assertFree('127.0.0.1', port);
    await until('nothing is watched', () => bench.server.openWatches() === 0);
  });

  test('when it waits for certificates', async () => {
    const { ended } = start();

    bench.stop.abort();

    await ended;
  });

  test('when that had come before', async () => {
    bench.stop.abort();

    await start().ended;
  });
});

test('where it cannot listen it rejects', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  putCertificates(trust);

  await expect(start().ended).rejects.toThrow('EADDRINUSE');

  await new Promise((resolve) => other.close(resolve));
});
