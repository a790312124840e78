import { pino } from 'pino';
import { createHttpApiClient, type HttpApiClient } from '../../../runtime/kubernetes/http-api-client';
import { type Informer, startInformer } from '../../../runtime/kubernetes/informer';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { fastClock } from '../../support/clocks';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { until } from '../../support/until';

const PODS = resourceOf('v1', 'Pod');
const SPEED = 100;

let server: FakeApiServer;
let client: HttpApiClient;
let stop: AbortController;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createHttpApiClient({ access: server.access, random: () => 0.5, silenceMs: 300 });
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await client.close();
  await server.close();
});

function start(relistMs: number): Informer {
  return startInformer({
    client,
    resource: PODS,
    clock: fastClock(SPEED),
    random: () => 0.5,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
    relistMs,
  });
}

const pod = (name: string) => ({ metadata: { name, namespace: 'team' }, status: { phase: 'Running' } });
const lists = () => server.requests.filter(({ query }) => !query.has('watch')).length;
const names = (informer: Informer) => informer.list().map(({ metadata }) => metadata.name);

test('while the API server refuses lists and not watches, what changes is heard all the same', async () => {
  const informer = start(10_000);
  await until('it is known', () => informer.state() === 'synced');
  server.answer({ code: 429, retryAfter: 0, when: ({ query }) => !query.has('watch'), times: 1_000 });
  const before = lists();
  await until('a list was refused', () => lists() > before);
  server.cluster.put(PODS, pod('late'));
  await until('the pod is known', () => names(informer).includes('late'));
});

test('an event that cannot be read is not asked for again: all is listed', async () => {
  start(100_000_000);
  await until('it watches', () => server.openWatches() === 1);
  server.sendToWatches('{"type":"ADDED","object":{"metadata":{}}}\n');
  await until('all is listed anew', () => lists() === 2);
  await until('it watches', () => server.openWatches() === 1);
});

test('a connection that was silent until it was given up does not count as contact', async () => {
  const informer = start(100_000_000);
  await until('it watches', () => server.openWatches() === 1);
  server.answer({ code: 503, when: ({ query }) => query.has('watch'), times: 1_000 });
  const watches = () => server.requests.filter(({ query }) => query.has('watch')).length;
  await until('the watch was given up', () => watches() > 1);
  expect(informer.stalenessMs()).toBeGreaterThan(300 * SPEED * 0.9);
});
