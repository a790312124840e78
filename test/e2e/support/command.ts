import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { until } from '../../support/until';
import { COMMAND } from './pod-process';

/** In the environment of a command and so of all that it starts. */
const MARK = 'E2E_MARK';

/** A log line that tells of no error. */
const HARMLESS_LOG = /^\[[\d:]+\] (DEBUG|INFO|WARN)\b/;

/** The bundled command as a child process, whose descendants can be told from all others. */
export interface RunningCommand {
  readonly pid: number;
  stdout(): string;
  /** Lines of standard error without colours; of log lines only those of errors. */
  errorLines(): readonly string[];
  signal(signal: NodeJS.Signals): void;
  /** Its exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  /** Command lines of the processes that it and its descendants started and that still run, itself included. */
  family(): Promise<readonly string[]>;
  /** Resolves once none of them runs. */
  untilAllGone(): Promise<void>;
  /** SIGKILL to all that is left. */
  killAll(): Promise<void>;
}

/** Starts `inference-gateway ARGS` with `env` added to the environment. */
export function startCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand {
  const mark = randomUUID();
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, ...env, [MARK]: mark },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
  const family = () => marked(`${MARK}=${mark}`);
  return {
    pid: child.pid!,
    stdout: () => stdout,
    errorLines: () => stderr.split('\n').filter((line) => line !== '' && !HARMLESS_LOG.test(line)),
    signal: (signal) => void child.kill(signal),
    exited,
    family: async () => [...(await family()).values()],
    untilAllGone: () => until('all processes have ended', async () => (await family()).size === 0).then(() => {}),
    async killAll() {
      for (const pid of (await family()).keys()) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended meanwhile.
        }
      }
    },
  };
}

/** Running processes by id, with their command line, that have `entry` in their environment. */
async function marked(entry: string): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Unreadable is another user's, or gone. A zombie's is empty.
    const environment = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => '');
    if (!environment.split('\0').includes(entry)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    found.set(Number(name), line.replaceAll('\0', ' ').trim());
  }
  return found;
}
