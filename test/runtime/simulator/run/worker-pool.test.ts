import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFigures } from '../../../../runtime/simulator/report/run-figures';
import type { RunTask } from '../../../../runtime/simulator/run/run-task';
import { runInWorkers, type WorkerPoolOptions } from '../../../../runtime/simulator/run/worker-pool';
import { TINY } from './tiny-scenario';

/** A worker that leaves a file named after its process, and does as the task's policy says. */
const WORKER = `
require('node:fs').writeFileSync(process.argv[2] + '/' + process.pid + '.pid', '');
process.on('disconnect', () => process.exit());
process.on('message', ({ policy, seed }) => {
  if (policy === 'fails') process.send({ error: 'no such thing' });
  else if (policy === 'dies') process.exit(3);
  else if (policy === 'answers') process.send({ figures: { requests: seed } });
});
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'igw-pool-'));
  await writeFile(join(folder, 'worker.cjs'), WORKER);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function task(policy: string, seed = 1): RunTask {
  return { scenario: TINY, policy, seed };
}

function run(tasks: readonly RunTask[], options: Partial<WorkerPoolOptions> = {}): Promise<Map<RunTask, RunFigures>> {
  return runInWorkers(tasks, {
    script: join(folder, 'worker.cjs'),
    args: [folder],
    workers: 2,
    signal: new AbortController().signal,
    ...options,
  });
}

/** Processes that were workers of this test. */
async function workers(): Promise<number[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.pid')).map((name) => Number.parseInt(name, 10));
}

/** Those of them that still run. */
async function alive(): Promise<number[]> {
  return (await workers()).filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
}

test('each task gets its own figures, over as many workers as allowed', async () => {
  const tasks = Array.from({ length: 9 }, (_, index) => task('answers', index));
  const done: number[] = [];
  const figures = await run(tasks, { onDone: ({ seed }) => done.push(seed) });
  expect(tasks.map((of) => figures.get(of)?.requests)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(done.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect((await workers()).length).toBeLessThanOrEqual(2);
  expect(await alive()).toEqual([]);
});

test('no more workers than tasks are started', async () => {
  await run([task('answers')], { workers: 8 });
  expect(await workers()).toHaveLength(1);
});

test('a run that fails is named, and ends the other workers', async () => {
  await expect(run([task('hangs'), task('fails', 7)])).rejects.toThrow('tiny at 5 req/s, fails, seed 7: no such thing');
  expect(await alive()).toEqual([]);
});

test('a worker that dies names its run', async () => {
  await expect(run([task('hangs'), task('dies')])).rejects.toThrow(
    'tiny at 5 req/s, dies, seed 1: its worker process ended by itself (exit code 3)',
  );
  expect(await alive()).toEqual([]);
});

test('an abort ends all workers at once, whatever they do', async () => {
  const stop = new AbortController();
  const running = run([task('hangs'), task('answers'), task('hangs')], {
    signal: stop.signal,
    onDone: () => stop.abort(new Error('stopped')),
  });
  await expect(running).rejects.toThrow('stopped');
  expect(await alive()).toEqual([]);
});

test('nothing is started after an abort', async () => {
  await expect(run([task('answers')], { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped');
  expect(await workers()).toEqual([]);
});
