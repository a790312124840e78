import { type AdapterFull, ROOM } from '../../../runtime/endpoint-picker/admission/room';
import type { PickedEndpoints } from '../../../runtime/endpoint-picker/endpoint-picker';
import {
  endpointStates,
  engineMetrics,
  gatewayState,
  NO_WEIGHTS,
  pickerRig,
  pickerRigWith,
  pickRequest,
  residency,
  schedulerState,
} from './support/fixtures';
import { ADDRESS, inFlight, PODS, pick } from './support/picks';

function rigOfFour() {
  const rooms: string[] = [];
  const rig = pickerRigWith({ roomChanged: (scheduler) => rooms.push(scheduler) }, schedulerState());
  rig.metrics.tellAll(engineMetrics());
  return { rig, rooms };
}

const endpointsOf = (picked: PickedEndpoints | AdapterFull | undefined) =>
  picked?.outcome === 'picked' ? picked.endpoints : undefined;

test('an endpoint whose cache is taken beyond the share is not chosen, however it scores', () => {
  const { rig } = rigOfFour();
  for (const pod of PODS.slice(1)) rig.metrics.tell(pod, engineMetrics({ kvUsage: 0.9, running: 9 }));
  for (let i = 0; i < 5; i++) {
    expect(endpointsOf(rig.picker.pickWithin(pickRequest(), ROOM.standard))).toEqual([ADDRESS.get(PODS[0])]);
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
    const picked = rig.picker.pickWithin(pickRequest(), ROOM.standard) as PickedEndpoints;
    expect(picked.endpoints[0]).toBe(first);
    picked.ticket.done(503);
  }
  rig.now += 1000;
  for (const pod of PODS.slice(1)) rig.metrics.tell(pod, engineMetrics({ kvUsage: 0.95, running: 10, waiting: 5 }));
  rig.metrics.tell(PODS[0], engineMetrics());
  const within = (subset?: string[]) =>
    endpointsOf(rig.picker.pickWithin(pickRequest(subset === undefined ? {} : { subset }), ROOM.standard));
  expect([within(), within(), within([first, ADDRESS.get(PODS[1])!])]).toEqual([[first], undefined, [first]]);
});

test('where none has room nothing is written down, while a pick without limits goes on', () => {
  const { rig } = rigOfFour();
  rig.metrics.tellAll(engineMetrics({ kvUsage: 0.9, running: 9 }));
  expect(rig.picker.pickWithin(pickRequest(), ROOM.standard)).toBeUndefined();
  expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
  expect(pick(rig).outcome).toBe('picked');
});

describe('a request for an adapter', () => {
  const sql = pickRequest({ model: 'sql', adapter: 'sql' });
  /** `held` by the first pod, which is full; the other pods have room, and hold nothing. */
  function rigWhereItIs(held: string) {
    const { rig } = rigOfFour();
    rig.metrics.tellAll(engineMetrics({ adapters: residency([], 2) }));
    rig.metrics.tell(PODS[0], engineMetrics({ adapters: residency([held], 2), kvUsage: 0.9, running: 9 }));
    return rig;
  }

  test('is not sent where it would have to be loaded while who holds it is full, and nothing is written down', () => {
    const rig = rigWhereItIs('sql');
    expect(rig.picker.pickWithin(sql, ROOM.standard, 0)).toEqual({ outcome: 'adapter-full', loadMs: 1000 });
    expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
  });

  test('is loaded elsewhere when it has waited for as long as that takes, or may not wait', () => {
    for (const waitedMs of [1000, undefined]) {
      const rig = rigWhereItIs('sql');
      const endpoints = endpointsOf(rig.picker.pickWithin(sql, ROOM.standard, waitedMs));
      expect(PODS.slice(1).map((pod) => ADDRESS.get(pod))).toContain(endpoints?.[0]);
    }
  });

  test('goes at once where there is room on a pod that holds it, or where none does', () => {
    const held = rigWhereItIs('sql');
    held.metrics.tell(PODS[2], engineMetrics({ adapters: residency(['sql'], 2) }));
    expect(endpointsOf(held.picker.pickWithin(sql, ROOM.standard, 0))?.[0]).toBe(ADDRESS.get(PODS[2]));
    expect(endpointsOf(rigWhereItIs('other').picker.pickWithin(sql, ROOM.standard, 0))).toBeDefined();
  });

  test('is not sent where every adapter slot is in use, however long it has waited, while some pod holds it', () => {
    const rig = rigWhereItIs('sql');
    const inUse = engineMetrics({ adapters: residency(['chat', 'code'], 2), running: 2 });
    for (const pod of PODS.slice(1)) rig.metrics.tell(pod, inUse);
    expect(rig.picker.pickWithin(sql, ROOM.standard, 60_000)).toMatchObject({ outcome: 'adapter-full' });
    rig.metrics.tell(PODS[3], engineMetrics({ adapters: residency(['chat'], 2), running: 2 }));
    expect(endpointsOf(rig.picker.pickWithin(sql, ROOM.standard, 60_000))?.[0]).toBe(ADDRESS.get(PODS[3]));
  });

  test('is sent to any pod with room where no pod holds it, slots in use or not: it would wait for ever', () => {
    const rig = rigWhereItIs('other');
    rig.metrics.tellAll(engineMetrics({ adapters: residency(['chat', 'code'], 2), running: 2 }));
    expect(endpointsOf(rig.picker.pickWithin(sql, ROOM.standard, 0))).toBeDefined();
  });

  test('finds no room where nobody has any', () => {
    const rig = rigWhereItIs('sql');
    rig.metrics.tellAll(engineMetrics({ adapters: residency([], 2), kvUsage: 0.9, running: 9 }));
    expect(rig.picker.pickWithin(sql, ROOM.standard, 0)).toBeUndefined();
  });
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
