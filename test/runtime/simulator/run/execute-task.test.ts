import { executeTask } from '../../../../runtime/simulator/run/execute-task';
import type { RunTask } from '../../../../runtime/simulator/run/run-task';
import { TINY } from './tiny-scenario';

const TASK: RunTask = { scenario: TINY, policy: 'gateway', seed: 1 };

test('the same task gives the same figures', async () => {
  const [first, second] = [await executeTask(TASK), await executeTask(TASK)];
  expect(first.requests).toBeGreaterThan(50);
  expect(second).toEqual(first);
});

test('another seed is another run, but every policy is asked the same', async () => {
  const [first, second, other] = [
    await executeTask(TASK),
    await executeTask({ ...TASK, seed: 2 }),
    await executeTask({ ...TASK, policy: 'round-robin' }),
  ];
  expect(second.firstToken).not.toEqual(first.firstToken);
  expect(other.requests).toBe(first.requests);
});

test('the scenario’s rate is the rate of the run', async () => {
  const slow = await executeTask({ ...TASK, scenario: { ...TINY, ratePerSecond: 2 } });
  expect(slow.requests).toBeLessThan(60);
});

test('slower engines answer later', async () => {
  const slow = await executeTask({ ...TASK, scale: { prefill: 0.5, decode: 1, kv: 1 } });
  expect(slow.firstToken.p50).toBeGreaterThan((await executeTask(TASK)).firstToken.p50!);
});

test('a policy that there is not fails the run', async () => {
  await expect(executeTask({ ...TASK, policy: 'psychic' })).rejects.toThrow('there is no policy psychic');
});
