import { leastRequest } from '../../../../runtime/simulator/policies/least-request';
import { policyTrial, shares } from './policy-trial';

test('fills pods evenly', () => {
  const trial = policyTrial(leastRequest, 4);
  expect(shares(trial, 4, 12)).toEqual([3, 3, 3, 3]);
});

test('the pod whose request has ended gets the next one', () => {
  const trial = policyTrial(leastRequest, 3);
  const choices = Array.from({ length: 3 }, () => trial.choice());
  choices[1]!.ticket!.ended(true);
  expect(trial.pick()).toBe(choices[1]!.pods[0]);
});

test('a request that another pod took is counted there', () => {
  const trial = policyTrial(leastRequest, 3);
  const [one, two] = [trial.choice(), trial.choice()];
  const free = [0, 1, 2].find((pod) => pod !== one.pods[0] && pod !== two.pods[0])!;
  two.ticket!.served!(free);
  expect(trial.pick()).toBe(two.pods[0]);
});

test('a failed request is counted no longer, nor twice', () => {
  const trial = policyTrial(leastRequest, 2);
  const first = trial.choice();
  trial.choice();
  first.ticket!.served!(first.pods[1]!);
  first.ticket!.ended(false);
  expect(trial.pick()).toBe(first.pods[0]);
  expect(shares(trial, 2, 2)).toEqual([1, 1]);
});

test('chance decides among equals', () => {
  const firsts = new Set(Array.from({ length: 30 }, (_, seed) => policyTrial(leastRequest, 3, { seed }).pick()));
  expect(firsts.size).toBe(3);
});
