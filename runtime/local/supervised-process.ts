import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';
import { createBackoff } from './backoff';
import { forwardLog } from './forward-log';
import type { FromChild, ToChild } from './messages';

/** A process of local mode that serves by the supervisor's states, restarted with backoff when it ends. */
export interface SupervisedProcess {
  pid(): number | undefined;
  metricsUrl(): string | undefined;
  /** Hands over a state; resolves once the process serves by it (or by a later one), also across restarts. */
  apply(state: GatewayState): Promise<void>;
  /** The pools as they are seen there; empty while the process is away. */
  status(): Promise<readonly PoolStatus[]>;
  close(): Promise<void>;
}

export interface SupervisedProcessOptions {
  /** In words, for messages: `router`. */
  readonly name: string;
  /** The bundled command, started with the arguments. */
  readonly script: string;
  readonly args: readonly string[];
  /** The first state. */
  readonly state: GatewayState;
  readonly log: Logger;
}

const BACKOFF_MIN_MS = 100;
const BACKOFF_MAX_MS = 5_000;
/** After so long without a fault the next restart is immediate again. */
const HEALTHY_AFTER_MS = 10_000;
const START_TIMEOUT_MS = 15_000;
const STATUS_TIMEOUT_MS = 1_000;
const STOP_TIMEOUT_MS = 5_000;

/** Starts the process and resolves once it serves by the first state. Rejects, with it ended, when it does not. */
export async function startSupervisedProcess(options: SupervisedProcessOptions): Promise<SupervisedProcess> {
  const { log, name } = options;
  const backoff = createBackoff(BACKOFF_MIN_MS, BACKOFF_MAX_MS);
  const closing = new AbortController();
  let appliedWaiters: { sequence: number; resolve: () => void }[] = [];
  let statusAsked: Promise<readonly PoolStatus[]> | undefined;
  let onStatus: ((pools: readonly PoolStatus[]) => void) | undefined;
  let child: ChildProcess | undefined;
  let ready = false;
  let metricsPort: number | undefined;
  let latest: { sequence: number; state: GatewayState } | undefined;
  let sequence = 0;

  const send = (message: ToChild) => {
    if (child?.connected) child.send(message, () => {});
  };

  const settleApplied = (upTo: number) => {
    for (const { sequence, resolve } of appliedWaiters) if (sequence <= upTo) resolve();
    appliedWaiters = appliedWaiters.filter(({ sequence }) => sequence > upTo);
  };

  const apply = (state: GatewayState) => {
    if (closing.signal.aborted) return Promise.resolve();
    sequence += 1;
    const own = { sequence, state };
    latest = own;
    const applied = new Promise<void>((resolve) => {
      appliedWaiters.push({ sequence: own.sequence, resolve });
    });
    if (ready) send({ type: 'state', ...own });
    return applied;
  };

  const onMessage = (message: FromChild) => {
    switch (message.type) {
      case 'ready':
        ready = true;
        if (latest !== undefined) send({ type: 'state', ...latest });
        break;
      case 'serving':
        metricsPort = message.metricsPort;
        break;
      case 'applied':
        settleApplied(message.sequence);
        break;
      case 'status':
        onStatus?.(message.pools);
        break;
    }
  };

  const runOnce = async () => {
    const started = performance.now();
    const current = fork(options.script, options.args, {
      // Flags of the supervisor's own Node (a loader, a profiler) are not the process's.
      execArgv: [],
      // A session of its own: Ctrl-C reaches the supervisor alone, which ends things in order.
      detached: true,
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    child = current;
    if (current.stderr !== null) forwardLog(current.stderr, log);
    current.on('message', (message) => {
      // A message may come out of the channel after the end of its sender.
      if (child === current) onMessage(message as FromChild);
    });
    const exit = await new Promise<string>((resolve) => {
      current.on('error', (error) => {
        if (current.pid === undefined) resolve(error.message);
      });
      current.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    });
    child = undefined;
    ready = false;
    if (performance.now() - started > HEALTHY_AFTER_MS) backoff.reset();
    return exit;
  };

  const supervise = async (first: Promise<string>) => {
    for (let run = first; ; run = runOnce()) {
      const exit = await run;
      if (closing.signal.aborted) return;
      const delay = backoff.next();
      log.warn({ exit, restartInMs: delay }, `${name} ended; restarting it`);
      await sleep(delay, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return;
    }
  };

  const run = runOnce();
  const killer = setTimeout(() => child?.kill('SIGKILL'), START_TIMEOUT_MS);
  const ended = await Promise.race([apply(options.state), run]);
  clearTimeout(killer);
  if (ended !== undefined) {
    throw new Error(`the ${name} process ended (${ended}) before it was ready; see its log above`);
  }
  const done = supervise(run);

  return {
    pid: () => child?.pid,
    metricsUrl: () => (ready && metricsPort !== undefined ? `http://127.0.0.1:${metricsPort}/metrics` : undefined),
    apply,
    status() {
      if (!ready) return Promise.resolve([]);
      statusAsked ??= new Promise((resolve) => {
        const give = (pools: readonly PoolStatus[]) => {
          clearTimeout(timer);
          statusAsked = undefined;
          resolve(pools);
        };
        const timer = setTimeout(give, STATUS_TIMEOUT_MS, []);
        onStatus = give;
        send({ type: 'status' });
      });
      return statusAsked;
    },
    async close() {
      closing.abort();
      settleApplied(sequence);
      const running = child;
      if (running !== undefined) {
        running.kill('SIGTERM');
        // A stopped process takes the signal only once it goes on.
        running.kill('SIGCONT');
        const killer = setTimeout(() => running.kill('SIGKILL'), STOP_TIMEOUT_MS);
        await done;
        clearTimeout(killer);
      }
      await done;
    },
  };
}
