import { ROOM } from '../../../runtime/endpoint-picker/admission/room';
import {
  endpointStates,
  engineMetrics,
  gatewayState,
  NO_WEIGHTS,
  pickerRig,
  pickerRigWith,
  pickRequest,
  schedulerState,
} from './support/fixtures';
import { ADDRESS, inFlight, PODS, pick } from './support/picks';

function rigOfFour() {
  const rooms: string[] = [];
  const rig = pickerRigWith({ roomChanged: (scheduler) => rooms.push(scheduler) }, schedulerState());
  rig.metrics.tellAll(engineMetrics());
  return { rig, rooms };
}

test('an endpoint whose cache is taken beyond the share is not chosen, however it scores', () => {
  const { rig } = rigOfFour();
  for (const pod of PODS.slice(1)) rig.metrics.tell(pod, engineMetrics({ kvUsage: 0.9, running: 9 }));
  for (let i = 0; i < 5; i++) {
    expect(rig.picker.pickWithin(pickRequest(), ROOM.standard)?.endpoints).toEqual([ADDRESS.get(PODS[0])]);
  }
});

/** A full pod, and three that have just joined. */
function rigWithNewPods() {
  const state = (count: number) => schedulerState({ endpoints: endpointStates(count), weights: NO_WEIGHTS });
  const rig = pickerRig(state(1));
  rig.metrics.tellAll(engineMetrics());
  for (let i = 0; i < 10; i++) pick(rig);
  rig.picker.update(gatewayState(state(4)));
  rig.metrics.tellAll(engineMetrics());
  rig.metrics.tell(PODS[0], engineMetrics({ kvUsage: 0.95, running: 10, waiting: 5 }));
  return rig;
}

test('no request waits while a new pod, whose share still grows, has room', () => {
  const rig = rigWithNewPods();
  for (let i = 0; i < 60; i++) expect(rig.picker.pickWithin(pickRequest(), ROOM.critical)).toBeDefined();
  expect(inFlight(rig)).toEqual([10, 20, 20, 20]);
});

test('a pod that has to prove itself gets one request, however many wait, but is there for one without a choice', () => {
  const { rig } = rigOfFour();
  for (const pod of PODS.slice(1)) rig.metrics.tell(pod, engineMetrics({ kvUsage: 0.95, running: 10, waiting: 5 }));
  const first = ADDRESS.get(PODS[0])!;
  for (let i = 0; i < 2; i++) {
    const picked = rig.picker.pickWithin(pickRequest(), ROOM.standard)!;
    expect(picked.endpoints[0]).toBe(first);
    picked.ticket.done(503);
  }
  rig.now += 1000;
  for (const pod of PODS.slice(1)) rig.metrics.tell(pod, engineMetrics({ kvUsage: 0.95, running: 10, waiting: 5 }));
  rig.metrics.tell(PODS[0], engineMetrics());
  const within = (subset?: string[]) =>
    rig.picker.pickWithin(pickRequest(subset === undefined ? {} : { subset }), ROOM.standard)?.endpoints;
  expect([within(), within(), within([first, ADDRESS.get(PODS[1])!])]).toEqual([[first], undefined, [first]]);
});

test('where none has room nothing is written down, while a pick without limits goes on', () => {
  const { rig } = rigOfFour();
  rig.metrics.tellAll(engineMetrics({ kvUsage: 0.9, running: 9 }));
  expect(rig.picker.pickWithin(pickRequest(), ROOM.standard)).toBeUndefined();
  expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
  expect(pick(rig).outcome).toBe('picked');
});

test('work that was sent counts before metrics show it: admitted work never exceeds the cache', () => {
  const { rig } = rigOfFour();
  const capacity = 400_000 * 4;
  const request = pickRequest({ promptBytes: 80_000, maxOutputTokens: 1 });
  let admitted = 0;
  // The line of prompts is not what limits here.
  while (rig.picker.pickWithin(request, { startMs: Number.POSITIVE_INFINITY, kvShare: 0.8 }) !== undefined) admitted++;
  expect(admitted * 20_001).toBeLessThanOrEqual(capacity * 0.8);
  expect(admitted * 20_001).toBeGreaterThan(capacity * 0.7);
});

test('whoever waits is told when a request ends or moves, when metrics come and when the state changes', () => {
  const { rig, rooms } = rigOfFour();
  rooms.length = 0;
  const { ticket, endpoints } = pick(rig);
  ticket.served(endpoints[1]!);
  ticket.done(200);
  rig.metrics.tell(PODS[0], engineMetrics());
  expect(rooms).toEqual(Array(3).fill('models/llama'));
});
