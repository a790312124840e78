import type { Explanation } from '../../../runtime/endpoint-picker/scheduling/explanation';
import { endpointStates, engineMetrics, pickerRig, pickRequest, schedulerState } from './support/fixtures';

type Rig = ReturnType<typeof pickerRig>;

function explained(rig: Rig, change: Parameters<typeof pickRequest>[0] = {}): Explanation {
  const result = rig.picker.pick(pickRequest({ explain: true, ...change }));
  if (result.outcome !== 'picked') throw new Error(result.outcome);
  return result.explanation!;
}

const reasons = ({ leftOut }: Explanation) => leftOut.map(({ pod, reason }) => `${pod} ${reason}`);

test('pods that are not ready, or whose metrics are stale, are told with the reason', () => {
  const endpoints = endpointStates(3).map((endpoint, i) => ({ ...endpoint, ready: i !== 1 }));
  const rig = pickerRig(schedulerState({ endpoints }));
  rig.metrics.tellAll(engineMetrics());
  rig.now += 60_000;
  rig.metrics.tell('models/llama-0', engineMetrics());
  expect(reasons(explained(rig))).toEqual(['models/llama-1 not-ready', 'models/llama-2 stale']);
});

test('pods outside the subset are told', () => {
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
  rig.metrics.tellAll(engineMetrics());
  expect(reasons(explained(rig, { subset: ['10.0.0.1'] }))).toEqual(['models/llama-0 not-in-subset']);
});

test('where all metrics are stale nobody is left out for it', () => {
  const rig = pickerRig(schedulerState({ endpoints: endpointStates(2) }));
  rig.metrics.tellAll(engineMetrics());
  rig.now += 60_000;
  const explanation = explained(rig);
  expect([explanation.candidates.length, explanation.leftOut]).toEqual([2, []]);
});
