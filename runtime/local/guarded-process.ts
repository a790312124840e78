import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A program that ends when the process that started it ends, however that one ends. */
export interface GuardedProcess {
  /** Of the program itself, not of its guard. */
  readonly pid: number;
  /** The program's standard error. */
  readonly stderr: Readable;
  /** Settles once the program has ended: its exit code, 128 + n after a signal. */
  readonly exited: Promise<number>;
  /** Sends a signal; harmless after the end. */
  kill(signal: NodeJS.Signals): void;
}

/**
 * The guard is a shell that holds the read end of a pipe whose write end only the parent has. When the parent dies,
 * even by SIGKILL, the pipe closes and the guard kills the program. No signal of the terminal reaches either: they have
 * a session of their own, so that the parent decides the order in which things end.
 */
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
echo "$program"
exec 1>&-
{ read -r _ <&3; kill -KILL "$program"; } 2>/dev/null &
watcher=$!
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`;

/** Starts `command` under a guard. Rejects when it cannot be started. */
export async function spawnGuarded(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<GuardedProcess> {
  const guard = spawn('/bin/sh', ['-c', GUARD, 'guard', command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env,
  });
  // A guard that has just died must not take the parent down with EPIPE.
  guard.stdin.on('error', () => {});
  const exited = new Promise<number>((resolve) => {
    guard.once('error', () => resolve(127));
    guard.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
  const pid = await firstLine(guard, command);
  return {
    pid,
    stderr: guard.stderr,
    exited,
    kill(signal) {
      if (guard.exitCode !== null || guard.signalCode !== null) return;
      try {
        process.kill(pid, signal);
      } catch {
        // It ended between the check and the signal.
      }
    },
  };
}

function firstLine(guard: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: guard.stdout as Readable });
    const failed = () => reject(new Error(`cannot start ${command}`));
    guard.once('error', failed);
    guard.once('exit', failed);
    lines.once('line', (line) => {
      guard.off('exit', failed);
      lines.close();
      resolve(Number(line));
    });
  });
}
