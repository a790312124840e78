import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Stops the processes of the legs that are not being measured, so that they stay warm and cost nothing. A frozen
 * process cannot notice that the bench has died, so a shell waits for that and lets it run again.
 */
export interface Freezer {
  freeze(pids: readonly number[]): void;
  thaw(): void;
}

export function createFreezer(): Freezer {
  let frozen: readonly number[] = [];
  let waker: ChildProcess | undefined;
  return {
    freeze(pids) {
      frozen = pids;
      waker = spawn('/bin/sh', ['-c', 'read -r _; kill -CONT "$@" 2>/dev/null', 'waker', ...pids.map(String)], {
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      });
      for (const pid of pids) process.kill(pid, 'SIGSTOP');
    },
    thaw() {
      for (const pid of frozen) {
        try {
          process.kill(pid, 'SIGCONT');
        } catch {
          // It was killed while frozen.
        }
      }
      frozen = [];
      waker?.stdin?.end();
    },
  };
}
