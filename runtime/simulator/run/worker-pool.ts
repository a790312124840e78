import { type ChildProcess, fork } from 'node:child_process';
import type { RunFigures } from '../report/run-figures';
import { describeTask, type RunTask } from './run-task';
import type { WorkerAnswer } from './run-worker';

export interface WorkerPoolOptions {
  /** The script that a worker process runs with these arguments; it must call `serveRuns`. */
  readonly script: string;
  readonly args: readonly string[];
  /** Worker processes; at least 1. No more are started than there are tasks. */
  readonly workers: number;
  /** Ends all workers at once; the promise is then rejected with the signal's reason. */
  readonly signal: AbortSignal;
  /** Called after each run, with its task. */
  readonly onDone?: (task: RunTask, figures: RunFigures) => void;
}

/**
 * Runs all tasks in worker processes and gives the figures of each. When a run fails or its worker dies, all
 * workers are ended and the promise is rejected with an error that names the run. No worker is left in any case.
 */
export async function runInWorkers(
  tasks: readonly RunTask[],
  options: WorkerPoolOptions,
): Promise<Map<RunTask, RunFigures>> {
  const { signal } = options;
  signal.throwIfAborted();
  const figures = new Map<RunTask, RunFigures>();
  const workers: ChildProcess[] = [];
  const ended: Promise<unknown>[] = [];
  // One iterator for all workers: each takes the next task that nobody has.
  const waiting = tasks.values();
  try {
    await Promise.race([
      rejectedOn(signal),
      Promise.all(
        Array.from({ length: Math.min(options.workers, tasks.length) }, async () => {
          const worker = fork(options.script, options.args, { serialization: 'advanced' });
          workers.push(worker);
          ended.push(new Promise((resolve) => worker.once('exit', resolve).once('error', resolve)));
          for (const task of waiting) {
            const answer = await ask(worker, task);
            if ('error' in answer) throw new Error(`${describeTask(task)}: ${answer.error}`);
            figures.set(task, answer.figures);
            options.onDone?.(task, answer.figures);
          }
        }),
      ),
    ]);
    return figures;
  } finally {
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(ended);
  }
}

/** Sends one task and waits for its answer, or for the end of the worker. */
function ask(worker: ChildProcess, task: RunTask): Promise<WorkerAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
  const ended = (code: number | null, signal: NodeJS.Signals | null) =>
    reject(new Error(`${describeTask(task)}: its worker process ended by itself (${signal ?? `exit code ${code}`})`));
  worker.once('message', resolve).once('exit', ended).once('error', reject);
  worker.send(task, (error) => error && reject(error));
  return promise.finally(() => worker.off('message', resolve).off('exit', ended).off('error', reject));
}

function rejectedOn(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
