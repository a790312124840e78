import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { logTail } from './log-tail';

/** A program of the control plane, whose output goes to a file. */
export interface Daemon {
  readonly name: string;
  readonly logFile: string;
  /** Undefined where it could not be started. */
  readonly pid: number | undefined;
  running(): boolean;
  /** Throws, with the end of the log, once it has ended by itself. */
  check(): void;
  kill(signal: NodeJS.Signals): void;
  /** Asks twice, then after `graceMs` kills. Resolves once it has ended. */
  stop(graceMs?: number): Promise<void>;
}

export function startDaemon(name: string, command: string, args: readonly string[], logFile: string): Daemon {
  const log = openSync(logFile, 'a');
  const child = spawn(command, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const running = () => failure === undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    logFile,
    pid: child.pid,
    running,
    check() {
      if (running()) return;
      throw new Error(`${name} ended (${endOf(child, failure)}). The end of its log:\n${logTail(logFile)}`);
    },
    kill(signal) {
      if (running()) child.kill(signal);
    },
    async stop(graceMs = 5_000) {
      if (!running()) return;
      child.kill('SIGTERM');
      // kube-apiserver drains for long unless it is told a second time.
      await Promise.race([exited, sleep(100, undefined, { ref: false })]);
      if (running()) child.kill('SIGTERM');
      await Promise.race([exited, sleep(graceMs, undefined, { ref: false })]);
      if (running()) child.kill('SIGKILL');
      await exited;
    },
  };
}

function endOf(child: ChildProcess, failure: Error | undefined): string {
  return failure?.message ?? (child.signalCode !== null ? child.signalCode : `exit code ${child.exitCode}`);
}
