import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('the requests of a trace come in place of the scenario’s, at the scenario’s rate', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'igw-task-'));
  try {
    const path = join(folder, 'azure.csv');
    const row = (second: number) => `2023-11-16 18:00:${String(second).padStart(2, '0')}.0000000,800,10`;
    const rows = Array.from({ length: 41 }, (_, second) => row(second));
    await writeFile(path, `TIMESTAMP,ContextTokens,GeneratedTokens\n${rows.join('\n')}\n`);
    // At 5 a second the 41 requests take 8 s, the first of which is warm-up.
    expect(await executeTask({ ...TASK, trace: { path, ratePerSecond: 1 } })).toMatchObject({
      requests: 36,
      failed: 0,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
