import { prefixSticky } from '../../../../runtime/simulator/policies/prefix-sticky';
import { policyTrial } from './policy-trial';

test('a prompt goes where the longest part of it was sent, however busy that pod is', () => {
  const trial = policyTrial(prefixSticky, 3);
  const long = trial.pick({ prefixHashes: [1, 2, 3, 4] });
  for (let i = 0; i < 20; i++) expect(trial.pick({ prefixHashes: [1, 2, 3, 4, 50 + i] })).toBe(long);
});

test('a prompt that nobody holds goes to the pod with the fewest requests', () => {
  const trial = policyTrial(prefixSticky, 3);
  const picks = [1, 2, 3].map((hash) => trial.pick({ prefixHashes: [hash] }));
  expect(picks.toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
});

test('a longer match comes before a shorter one', () => {
  const trial = policyTrial(prefixSticky, 2);
  const first = trial.choice({ prefixHashes: [1] });
  trial.setReady(first.pods[0]!, false);
  const second = trial.pick({ prefixHashes: [1, 2] });
  trial.setReady(first.pods[0]!, true);
  expect(trial.pick({ prefixHashes: [1, 2, 3] })).toBe(second);
});
