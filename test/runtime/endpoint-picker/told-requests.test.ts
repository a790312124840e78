import { engineMetrics, pickerRig, pickRequest, schedulerState } from './support/fixtures';
import { ADDRESS, inFlight, PODS, pick, prompt } from './support/picks';

const REQUEST = pickRequest(prompt(5000, 32));

function rigOfFour() {
  const rig = pickerRig(schedulerState());
  rig.metrics.tellAll(engineMetrics());
  return rig;
}

test('a request that another replica sent is counted where it went, until it ends', () => {
  const rig = rigOfFour();
  const ticket = rig.picker.enter(REQUEST, [ADDRESS.get(PODS[2])!], 0);
  expect(inFlight(rig)).toEqual([0, 0, 1, 0]);
  ticket!.served(ADDRESS.get(PODS[1])!);
  expect(inFlight(rig)).toEqual([0, 1, 0, 0]);
  ticket!.done(200);
  ticket!.done(200);
  expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
});

test('its prompt is remembered there: the next one with the same prefix goes to the same endpoint', () => {
  const rig = rigOfFour();
  rig.picker.enter(REQUEST, [ADDRESS.get(PODS[2])!], 0)!.done(200);
  expect(pick(rig, prompt(5000, 32))).toMatchObject({ matchedBlocks: 32 });
  expect(inFlight(rig)).toEqual([0, 0, 1, 0]);
});

test('an endpoint or a scheduler that is not known here takes no entry', () => {
  const rig = rigOfFour();
  expect(rig.picker.enter(REQUEST, ['10.9.9.9:8000'], 0)).toBeUndefined();
  expect(rig.picker.enter({ ...REQUEST, scheduler: 'models/none' }, [ADDRESS.get(PODS[0])!], 0)).toBeUndefined();
  expect(inFlight(rig)).toEqual([0, 0, 0, 0]);
});

test('what was cached is not counted as work', () => {
  const rig = rigOfFour();
  rig.picker.enter(REQUEST, [ADDRESS.get(PODS[0])!], 32);
  rig.picker.enter(REQUEST, [ADDRESS.get(PODS[1])!], 0);
  const [cached, computed] = rig.picker.status()[0]!.pods;
  expect(cached!.inFlight).toBe(computed!.inFlight);
  // Of two endpoints that are alike but for that, the one with less to compute is chosen.
  expect(pick(rig, { subset: [ADDRESS.get(PODS[0])!, ADDRESS.get(PODS[1])!] }).endpoints[0]).toBe(ADDRESS.get(PODS[0]));
});
