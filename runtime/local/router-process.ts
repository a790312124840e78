import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';
import { createBackoff } from './backoff';
import type { FromRouter, ToRouter } from './messages';

/** The process that holds the Body-Based Router and the pickers, restarted with backoff when it ends. */
export interface RouterProcess {
  pid(): number | undefined;
  metricsUrl(): string | undefined;
  /** Hands over a state; resolves once picks are made by it (or by a later one), also across restarts. */
  apply(state: GatewayState): Promise<void>;
  /** The pools as the pickers see them; empty while the process is away. */
  status(): Promise<readonly PoolStatus[]>;
  close(): Promise<void>;
}

export interface RouterProcessOptions {
  /** The bundled command, started as `SCRIPT local-router`. */
  readonly script: string;
  /** Unix socket on which Envoy reaches the processor. */
  readonly socketPath: string;
  readonly logLevel: string;
  readonly log: Logger;
}

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;
/** After so long without a fault the next restart is immediate again. */
const HEALTHY_AFTER_MS = 10_000;
const STATUS_TIMEOUT_MS = 1_000;
const STOP_TIMEOUT_MS = 5_000;

export function startRouterProcess(options: RouterProcessOptions): RouterProcess {
  const { log } = options;
  const backoff = createBackoff(BACKOFF_MIN_MS, BACKOFF_MAX_MS);
  const closing = new AbortController();
  const appliedWaiters: { sequence: number; resolve: () => void }[] = [];
  let statusWaiters: ((pools: readonly PoolStatus[]) => void)[] = [];
  let child: ChildProcess | undefined;
  let ready = false;
  let metricsPort: number | undefined;
  let latest: { sequence: number; state: GatewayState } | undefined;
  let sequence = 0;

  const send = (message: ToRouter) => {
    if (child?.connected) child.send(message, () => {});
  };

  const onMessage = (message: FromRouter) => {
    switch (message.type) {
      case 'ready':
        ready = true;
        if (latest !== undefined) send({ type: 'state', ...latest });
        break;
      case 'serving':
        metricsPort = message.metricsPort;
        break;
      case 'applied':
        for (let i = appliedWaiters.length - 1; i >= 0; i--) {
          const waiter = appliedWaiters[i]!;
          if (waiter.sequence <= message.sequence) {
            appliedWaiters.splice(i, 1);
            waiter.resolve();
          }
        }
        break;
      case 'status':
        for (const resolve of statusWaiters) resolve(message.pools);
        statusWaiters = [];
        break;
    }
  };

  const runOnce = async () => {
    const started = performance.now();
    const current = fork(
      options.script,
      ['local-router', '--socket', options.socketPath, '--log-level', options.logLevel],
      {
        // Flags of the supervisor's own Node (a loader, a profiler) are not the router's.
        execArgv: [],
        // A session of its own: Ctrl-C reaches the supervisor alone, which ends things in order.
        detached: true,
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    );
    child = current;
    current.on('message', (message) => onMessage(message as FromRouter));
    const code = await new Promise<string>((resolve) => {
      current.once('error', (error) => resolve(error.message));
      current.once('exit', (exitCode, signal) => resolve(signal ?? String(exitCode)));
    });
    child = undefined;
    ready = false;
    if (performance.now() - started > HEALTHY_AFTER_MS) backoff.reset();
    return code;
  };

  const supervise = async () => {
    while (!closing.signal.aborted) {
      const code = await runOnce();
      if (closing.signal.aborted) return;
      const delay = backoff.next();
      log.warn({ exit: code, restartInMs: delay }, 'router ended; restarting it');
      await sleep(delay, undefined, { signal: closing.signal }).catch(() => {});
    }
  };
  const done = supervise();

  return {
    pid: () => child?.pid,
    metricsUrl: () => (ready && metricsPort !== undefined ? `http://127.0.0.1:${metricsPort}/metrics` : undefined),
    apply(state) {
      sequence += 1;
      latest = { sequence, state };
      const applied = new Promise<void>((resolve) => {
        appliedWaiters.push({ sequence, resolve });
        closing.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      if (ready) send({ type: 'state', ...latest });
      return applied;
    },
    status() {
      if (!ready) return Promise.resolve([]);
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve([]), STATUS_TIMEOUT_MS);
        statusWaiters.push((pools) => {
          clearTimeout(timer);
          resolve(pools);
        });
        send({ type: 'status' });
      });
    },
    async close() {
      closing.abort();
      const running = child;
      if (running !== undefined) {
        running.kill('SIGTERM');
        const killer = setTimeout(() => running.kill('SIGKILL'), STOP_TIMEOUT_MS);
        await done;
        clearTimeout(killer);
      }
      await done;
    },
  };
}
