import { random } from '../../../../runtime/simulator/policies/random';
import { policyTrial, shares } from './policy-trial';

test('every pod gets the same share, within chance', () => {
  // Chi-square of 3 degrees of freedom: above 16.3 once in a thousand.
  const picks = shares(policyTrial(random, 4), 4, 4000);
  const chiSquare = picks.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
  expect(chiSquare).toBeLessThan(16.3);
});

test('a choice does not depend on the one before', () => {
  const trial = policyTrial(random, 2);
  const picks = Array.from({ length: 2000 }, () => trial.pick());
  const repeats = picks.filter((pod, i) => pod === picks[i - 1]).length;
  expect(Math.abs(repeats - 1000)).toBeLessThan(100);
});
