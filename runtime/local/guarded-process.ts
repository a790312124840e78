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

/** The rest of standard output, which the guard shares with the program, is let go: nothing may wait for a reader. */
function firstLine(guard: ChildProcess, command: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const output = guard.stdout as Readable;
    const lines = createInterface({ input: output });
    const failed = () => reject(new Error(`cannot start ${command}`));
    guard.once('error', failed);
    // Not the guard's end: its line may still be on the way.
    lines.once('close', failed);
    lines.once('line', (line) => {
      lines.off('close', failed);
      lines.close();
      output.resume();
      resolve(Number(line));
    });
  });
}
