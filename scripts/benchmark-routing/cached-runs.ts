import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import { build } from 'esbuild';
import type { RunFigures } from '../../runtime/simulator/report/run-figures';
import type { RunTask } from '../../runtime/simulator/run/run-task';
import { runInWorkers } from '../../runtime/simulator/run/worker-pool';

/** Makes runs, those that are known from before left out. */
export interface CachedRuns {
  run(tasks: readonly RunTask[], label: string): Promise<Map<RunTask, RunFigures>>;
}

interface CacheLine {
  readonly key: string;
  readonly figures: RunFigures;
}

/**
 * Runs are kept in `folder`, one line each, by everything that they depend on: the task with its scenario, and the
 * simulator's code, which is bundled once so that edits while it runs change nothing.
 */
export async function createCachedRuns(folder: string, signal: AbortSignal): Promise<CachedRuns> {
  await mkdir(folder, { recursive: true });
  const script = join(folder, 'benchmark-worker.cjs');
  const code = await bundleWorker();
  await writeFile(script, code);
  const file = join(folder, 'benchmark-routing.jsonl');
  const known = new Map(await readCache(file));
  const keyOf = (task: RunTask) => createHash('sha256').update(code).update(JSON.stringify(task)).digest('base64url');

  return {
    async run(tasks, label) {
      const keys = new Map(tasks.map((task) => [task, keyOf(task)]));
      // Parts share runs: each is made once, though it be planned twice.
      const missing = new Map(
        tasks.filter((task) => !known.has(keys.get(task)!)).map((task) => [keys.get(task)!, task]),
      );
      const bar = new SingleBar({
        format: `${label} [{bar}] {value}/{total} runs, {eta_formatted} left`,
        stream: process.stderr,
        clearOnComplete: true,
      });
      bar.start(missing.size, 0);
      let written = Promise.resolve();
      try {
        await runInWorkers([...missing.values()], {
          script,
          args: [],
          workers: availableParallelism(),
          signal,
          onDone(task, figures) {
            const line: CacheLine = { key: keys.get(task)!, figures };
            known.set(line.key, figures);
            written = written.then(() => appendFile(file, `${JSON.stringify(line)}\n`));
            bar.increment();
          },
        });
      } finally {
        bar.stop();
        await written;
      }
      return new Map(tasks.map((task) => [task, known.get(keys.get(task)!)!]));
    },
  };
}

async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { serveRuns } from './runtime/simulator/run/run-worker'; serveRuns();`,
      resolveDir: join(__dirname, '../..'),
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    // Comments and line breaks are no change of the code.
    minifyWhitespace: true,
    write: false,
  });
  return outputFiles[0]!.text;
}

async function readCache(file: string): Promise<[string, RunFigures][]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line): [string, RunFigures][] => {
    try {
      const { key, figures } = JSON.parse(line) as CacheLine;
      return [[key, figures]];
    } catch {
      // Empty, or cut short when the process was ended.
      return [];
    }
  });
}
