import { pino } from 'pino';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { createEventRecorder, type EventRecorder, type ObjectEvent } from '../../../runtime/kubernetes/events';
import { createHttpApiClient, type HttpApiClient } from '../../../runtime/kubernetes/http-api-client';
import { resourceOf } from '../../../runtime/kubernetes/resources';
import { VirtualClock } from '../../support/clocks';
import { FakeApiServer } from '../../support/fake-api-server/fake-api-server';
import { until } from '../../support/until';

const EVENTS = resourceOf('events.k8s.io/v1', 'Event');

const CONFIG: KubernetesObject = {
  apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
  kind: 'InferenceGatewayConfig',
  metadata: { name: 'chat', namespace: 'team', uid: 'u-1', resourceVersion: '7' },
};

const REFUSED: ObjectEvent = {
  type: 'Warning',
  reason: 'NameTaken',
  action: 'Translate',
  note: 'another has the name',
};

let server: FakeApiServer;
let client: HttpApiClient;
let clock: VirtualClock;
let stop: AbortController;
let warnings: string[];
let recorder: EventRecorder;

beforeEach(async () => {
  server = await FakeApiServer.start();
  client = createHttpApiClient({ access: server.access, random: () => 0 });
  clock = new VirtualClock();
  stop = new AbortController();
  warnings = [];
  recorder = createEventRecorder({
    client,
    clock,
    random: () => 0,
    log: pino({}, { write: (line: string) => warnings.push(JSON.parse(line).msg) }),
    controller: 'example.com/controller',
    instance: 'controller-0',
    signal: stop.signal,
  });
});

afterEach(async () => {
  stop.abort();
  await client.close();
  await server.close();
});

const recorded = (): KubernetesObject[] => server.cluster.list(EVENTS);

test('an event says what happened to which object, when, and who says so', async () => {
  recorder.record(CONFIG, REFUSED);
  await until('it is recorded', () => recorded().length === 1);

  const [event] = recorded();
  expect(event).toMatchObject({
    metadata: { name: expect.stringMatching(/^chat\.[0-9a-f]{16}$/), namespace: 'team' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/controller',
    reportingInstance: 'controller-0',
    ...REFUSED,
    regarding: {
      apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
      kind: 'InferenceGatewayConfig',
      name: 'chat',
      namespace: 'team',
      uid: 'u-1',
      resourceVersion: '7',
    },
  });
  expect(event).not.toHaveProperty('series');
});

test('events of an object of the whole cluster are in the namespace default', async () => {
  const metadata = { name: 'inference-gateway' };
  recorder.record({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'GatewayClass', metadata }, REFUSED);
  await until('it is recorded', () => recorded().length === 1);

  expect(recorded()[0]!.metadata.namespace).toBe('default');
});

test('a long note is cut to 1 kB between characters', async () => {
  recorder.record(CONFIG, { ...REFUSED, note: 'ä'.repeat(600) });
  await until('it is recorded', () => recorded().length === 1);

  expect(recorded()[0]!.note).toBe(`${'ä'.repeat(510)}…`);
});

test('the same again counts, and the count is written once a minute', async () => {
  recorder.record(CONFIG, REFUSED);
  await until('it is recorded', () => recorded().length === 1);
  for (let i = 0; i < 100; i++) recorder.record(CONFIG, REFUSED);
  await clock.advance(61_000);
  recorder.record(CONFIG, REFUSED);
  await until('the count is written', () => recorded()[0]!.series !== undefined);

  expect(recorded()).toHaveLength(1);
  expect(recorded()[0]!.series).toEqual({ count: 102, lastObservedTime: '2026-01-01T00:01:01.000000Z' });
  expect(server.requests).toHaveLength(2);
});

test('after 10 minutes it is a new event', async () => {
  recorder.record(CONFIG, REFUSED);
  await clock.advance(600_000);
  recorder.record(CONFIG, REFUSED);

  await until('both are recorded', () => recorded().length === 2);
});

test('another note, reason or object is another event', async () => {
  recorder.record(CONFIG, REFUSED);
  recorder.record(CONFIG, { ...REFUSED, note: 'another' });
  recorder.record(CONFIG, { ...REFUSED, reason: 'Another' });
  recorder.record({ ...CONFIG, metadata: { ...CONFIG.metadata, name: 'other', uid: 'u-2' } }, REFUSED);

  await until('all are recorded', () => recorded().length === 4);
});

test('an object that is told of too often is told of less, and others are not', async () => {
  for (let i = 0; i < 50; i++) recorder.record(CONFIG, { ...REFUSED, note: `note ${i}` });
  recorder.record({ ...CONFIG, metadata: { ...CONFIG.metadata, name: 'other', uid: 'u-2' } }, REFUSED);
  await until('they are recorded', () => recorded().length === 11);

  await clock.advance(180_000);
  for (let i = 50; i < 100; i++) recorder.record(CONFIG, { ...REFUSED, note: `note ${i}` });
  await until('three more are', () => recorded().length === 14);
});

test('what waits to be sent is bounded', async () => {
  server.down();
  for (let i = 0; i < 500; i++) {
    recorder.record({ ...CONFIG, metadata: { name: `c${i}`, namespace: 'team', uid: `u-${i}` } }, REFUSED);
  }
  server.up();
  await clock.advance(60_000);
  await until('they are recorded', () => recorded().length >= 100);
  await new Promise((resolve) => setTimeout(resolve, 100));

  expect(recorded().length).toBeLessThanOrEqual(101);
});

test('one that cannot be sent is tried again a few times, then dropped', async () => {
  server.answer({ code: 500, times: 3 });
  recorder.record(CONFIG, REFUSED);
  for (let tries = 2; tries <= 4; tries++) {
    await until('it has failed', () => server.requests.length === tries - 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await clock.advance(10_000);
  }
  await until('it is recorded', () => recorded().length === 1);

  server.answer({ code: 403 });
  recorder.record(CONFIG, { ...REFUSED, note: 'not allowed' });
  await until('it is given up', () => warnings.length === 1);
  expect(warnings).toEqual(['an event was not recorded: planned 403']);
});
