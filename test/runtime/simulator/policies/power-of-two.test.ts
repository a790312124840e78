import { powerOfTwo } from '../../../../runtime/simulator/policies/power-of-two';
import { policyTrial, shares } from './policy-trial';

test('takes the one of two different pods that has fewer requests, and the other as fallback', () => {
  const trial = policyTrial(powerOfTwo, 6);
  const inFlight = new Array<number>(6).fill(0);
  for (let i = 0; i < 200; i++) {
    const { pods } = trial.choice();
    const [chosen, other] = pods as [number, number];
    expect(pods.length).toBe(2);
    expect(chosen).not.toBe(other);
    expect(inFlight[chosen]!).toBeLessThanOrEqual(inFlight[other]!);
    inFlight[chosen]! += 1;
  }
});

test('the most loaded pod is never chosen, any other pair may be', () => {
  const trial = policyTrial(powerOfTwo, 3);
  const busy = trial.pick();
  const pairs = new Set<string>();
  for (let i = 0; i < 60; i++) {
    const { pods, ticket } = trial.choice();
    expect(pods[0]).not.toBe(busy);
    pairs.add(pods.toSorted((a, b) => a - b).join());
    ticket!.ended(true);
  }
  expect(pairs.size).toBe(3);
});

test('a single pod gets everything', () => {
  expect(shares(policyTrial(powerOfTwo, 1), 1, 5)).toEqual([5]);
});
