import { spawn } from 'node:child_process';

/** A program and all that it starts: they end together, and when the process that started them ends, however that does. */
export interface ProcessGroup {
  /** The last lines that they wrote. */
  output(): string;
  /** Settles once the program has ended. */
  readonly ended: Promise<void>;
  /** SIGTERM, and after `graceMs` SIGKILL to all; resolves once the program has ended. */
  close(graceMs: number): Promise<void>;
}

/**
 * The shell leads the group, and holds the read end of a pipe whose write end only the parent has. vLLM's engine and
 * workers are processes of their own, which outlive a server that is killed.
 */
const LEADER = `
exec 3<&0
trap : TERM
"$@" </dev/null 3<&- &
program=$!
{ read -r _ <&3; kill -KILL 0; } &
while kill -0 "$program" 2>/dev/null; do wait "$program"; done
kill -KILL 0
`;

/** Characters of output that are kept. */
const KEPT = 20_000;

export function startProcessGroup(command: string, args: readonly string[], env: NodeJS.ProcessEnv): ProcessGroup {
  const leader = spawn('/bin/sh', ['-c', LEADER, 'leader', command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env,
  });
  let output = '';
  const note = (chunk: Buffer) => {
    output = (output + chunk).slice(-KEPT);
  };
  leader.stdin.on('error', () => {});
  leader.stdout.on('data', note);
  leader.stderr.on('data', note);
  const ended = new Promise<void>((resolve) => {
    leader.once('error', (error) => {
      output += error.message;
      resolve();
    });
    leader.once('exit', () => resolve());
  });

  function signal(name: NodeJS.Signals): void {
    try {
      if (leader.pid !== undefined) process.kill(-leader.pid, name);
    } catch {
      // All have ended.
    }
  }

  return {
    output: () => output,
    ended,
    async close(graceMs) {
      signal('SIGTERM');
      const timer = setTimeout(() => signal('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
