import type { RunFigures } from '../report/run-figures';
import { executeTask } from './execute-task';
import type { RunTask } from './run-task';

/** What a worker answers to each task. */
export type WorkerAnswer = { readonly figures: RunFigures } | { readonly error: string };

/** Makes this process a worker: it runs the tasks that its parent sends, one after the other, until the parent is gone. */
export function serveRuns(): void {
  // Ctrl-C reaches the whole process group; the parent ends its workers itself.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  process.on('message', (task: RunTask) => {
    void answer(task).then((message) => process.send?.(message));
  });
}

async function answer(task: RunTask): Promise<WorkerAnswer> {
  try {
    return { figures: await executeTask(task) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
