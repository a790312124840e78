import { roundRobin } from '../../../../runtime/simulator/policies/round-robin';
import { policyTrial } from './policy-trial';

test('goes from pod to pod in order, the next ones being the fallbacks', () => {
  const trial = policyTrial(roundRobin, 4);
  const choices = Array.from({ length: 5 }, () => trial.choice().pods);
  expect(choices).toEqual([
    [1, 2, 3],
    [2, 3, 0],
    [3, 0, 1],
    [0, 1, 2],
    [1, 2, 3],
  ]);
});

test('leaves out a pod that is not ready', () => {
  const trial = policyTrial(roundRobin, 3);
  trial.setReady(1, false);
  expect([trial.pick(), trial.pick(), trial.pick(), trial.pick()]).toEqual([2, 0, 2, 0]);
});
