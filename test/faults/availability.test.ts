import { compileGatewayState } from '../../lib/translate/compile-gateway-state';
import type { Ticket } from '../../runtime/endpoint-picker/endpoint-picker';
import { gatewayConfig, schedulerSpec } from '../lib/translate/builders';
import {
  endpointStates,
  engineMetrics,
  type PickerRig,
  pickerRig,
  schedulerState,
} from '../runtime/endpoint-picker/support/fixtures';
import { ADDRESS, PODS, pick, picksByPod } from '../runtime/endpoint-picker/support/picks';
import { refusal, sendThrough, wholeRouter } from './support/whole-router';

const FIRST = ADDRESS.get(PODS[0])!;

/** Requests to one pod alone, each of which ends as `end` says. */
function sendToFirst(rig: PickerRig, count: number, end: (ticket: Ticket) => void): void {
  for (let i = 0; i < count; i++) {
    end(pick(rig, { subset: [FIRST] }).ticket);
    rig.now += 10;
    rig.metrics.tellAll(engineMetrics());
  }
}

const answers = (status: number) => (ticket: Ticket) => {
  ticket.served(FIRST);
  ticket.done(status);
};

function excluded(rig: PickerRig): boolean {
  rig.metrics.tellAll(engineMetrics());
  return picksByPod(rig, 8)[0] === 0;
}

describe('the health of a pod', () => {
  test.each([400, 401, 404, 413, 422, 429, 499, 503])(
    'does not suffer from answers with %d, which are of a client or a busy server',
    (status) => {
      const rig = pickerRig(schedulerState());
      rig.metrics.tellAll(engineMetrics());
      sendToFirst(rig, 30, answers(status));
      expect(excluded(rig)).toBe(false);
    },
  );

  test('does not suffer from clients that go away', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    sendToFirst(rig, 30, (ticket) => ticket.done());
    expect(excluded(rig)).toBe(false);
  });

  test('does suffer from errors of its own', () => {
    const rig = pickerRig(schedulerState());
    rig.metrics.tellAll(engineMetrics());
    sendToFirst(rig, 30, answers(500));
    expect(excluded(rig)).toBe(true);
  });
});

test('a pod that is excluded gets nothing, neither as the choice nor as a fallback, though its metrics are the best', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics({ running: 30, kvUsage: 0.5 }));
  sendToFirst(rig, 5, answers(500));
  for (const pod of PODS.slice(1)) rig.metrics.tell(pod, engineMetrics({ waiting: 9, running: 90, kvUsage: 0.9 }));
  rig.metrics.tell(PODS[0], engineMetrics());
  for (let i = 0; i < 20; i++) expect(pick(rig).endpoints).not.toContain(FIRST);
});

test('faults of requests everywhere leave pods to send to: no pool is emptied by its breakers', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics());
  for (let i = 0; i < 200; i++) {
    const { endpoints, ticket } = pick(rig);
    ticket.served(endpoints[0]!);
    ticket.done(500);
    rig.now += 10;
    rig.metrics.tellAll(engineMetrics());
  }
  expect(rig.picker.status()[0]!.pods.filter((pod) => pod.excluded === undefined).length).toBeGreaterThanOrEqual(2);
  expect(picksByPod(rig, 40).filter((count) => count > 0).length).toBeGreaterThanOrEqual(2);
});

test('two thousand requests at once are all sent somewhere while pods live, and shared out', () => {
  const rig = pickerRig(schedulerState({ overload: { ...schedulerState().overload, maxQueueTimeMs: 3_600_000 } }));
  rig.metrics.tellAll(engineMetrics());
  const counts = picksByPod(rig, 2_048);
  expect(counts.reduce((sum, count) => sum + count)).toBe(2_048);
  expect(Math.max(...counts)).toBeLessThan(2_048 / 3);
});

test('no pods at all, or no such pool, is an answer and not an exception', async () => {
  const router = wholeRouter({ endpoints: [] });
  expect(refusal(await router.send().answer)).toMatchObject({ status: 503, code: 'no_endpoints' });
  expect(router.rig.picker.pick({ ...REQUEST, scheduler: 'models/none' }).outcome).toBe('no-endpoints');
  expect(router.rig.picker.status()).toEqual([expect.objectContaining({ pods: [] })]);
});

const REQUEST = { scheduler: 'models/llama', model: 'llama', promptBytes: 4, prefixHashes: [], explain: false };

test('a request names three endpoints in order, so that one that fails before it answers can be followed by another', () => {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics());
  const { endpoints, ticket } = pick(rig);
  expect(new Set(endpoints).size).toBe(3);
  ticket.served(endpoints[2]!, 3);
  ticket.done(200);
  expect(rig.observer.lines).toContain('retried models/llama 2');
});

test('a lone pod that fails is still used: sooner its own error than none', () => {
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(1) }));
  rig.metrics.tellAll(engineMetrics());
  sendToFirst(rig, 20, (ticket) => ticket.done(503));
  expect(pick(rig).endpoints).toEqual([FIRST]);
});

test('one object is all that a gateway must be told: no objective, rewrite, ConfigMap or pod has to be there', () => {
  expect(compileGatewayState([gatewayConfig([schedulerSpec('llama')])])).toMatchObject({
    state: { schedulers: [{ name: 'llama', endpoints: [] }], rewrites: [] },
  });
});

test('the gateway answers for its own health while large bodies are being read', async () => {
  const router = wholeRouter();
  router.rig.metrics.tellAll(engineMetrics());
  const order: string[] = [];
  const large = JSON.stringify({ model: 'llama', prompt: 'x'.repeat(4_000_000) });
  const uploads = Array.from({ length: 4 }, () => router.send({}, large).answer.then(() => order.push('upload')));
  await Promise.resolve();
  await sendThrough(router.processor, { ':method': 'GET', ':path': '/health' }, '').answer.then(() =>
    order.push('health'),
  );
  await Promise.all(uploads);
  expect(order).toEqual(['health', 'upload', 'upload', 'upload', 'upload']);
});

test('a pod that was excluded is tried again although the streams that it had before go on', () => {
  const rig = pickerRig(schedulerState());
  const busy = () => rig.metrics.tellAll(engineMetrics({ running: 10, kvUsage: 0.2 }));
  busy();
  for (let i = 0; i < 40; i++) {
    const { endpoints, ticket } = pick(rig);
    ticket.served(endpoints[0]!);
  }
  sendToFirst(rig, 5, answers(500));
  expect(excluded(rig)).toBe(true);
  const destinations: string[] = [];
  for (let second = 0; second < 5; second++) {
    rig.now += 1_000;
    busy();
    for (let i = 0; i < 8; i++) {
      const { endpoints, ticket } = pick(rig);
      destinations.push(endpoints[0]!);
      ticket.served(endpoints[0]!);
      ticket.done(200);
    }
  }
  expect(destinations).toContain(FIRST);
});
