import { ROOM } from '../../../runtime/endpoint-picker/admission/room';
import { engineMetrics, pickerRigWith, pickRequest, schedulerState } from './support/fixtures';
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
