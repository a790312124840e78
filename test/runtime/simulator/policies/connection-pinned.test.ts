import { connectionPinned } from '../../../../runtime/simulator/policies/connection-pinned';
import { policyTrial } from './policy-trial';

test('a connection keeps its pod while that is ready, and nobody retries', () => {
  const trial = policyTrial(connectionPinned, 5);
  const pods = [0, 1, 2].map((connection) => trial.choice({ connection }).pods);
  expect(pods.map(({ length }) => length)).toEqual([1, 1, 1]);
  for (let i = 0; i < 10; i++) {
    expect([0, 1, 2].map((connection) => trial.choice({ connection }).pods)).toEqual(pods);
  }
});

test('a connection goes to another pod once its own is not ready, and stays there when that is back', () => {
  const trial = policyTrial(connectionPinned, 3);
  const first = trial.pick();
  trial.setReady(first, false);
  const second = trial.pick();
  expect(second).not.toBe(first);
  trial.setReady(first, true);
  expect(Array.from({ length: 10 }, () => trial.pick())).toEqual(Array(10).fill(second));
});

test('new connections are spread by chance', () => {
  const trial = policyTrial(connectionPinned, 4);
  const picks = [0, 0, 0, 0];
  for (let connection = 0; connection < 400; connection++) picks[trial.pick({ connection })]! += 1;
  for (const count of picks) expect(Math.abs(count - 100)).toBeLessThan(40);
});
