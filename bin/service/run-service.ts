import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { followStates } from '../../runtime/local/state-follower';
import type { SourceStatus } from '../../runtime/objects/object-source';
import { createLogger } from '../../runtime/telemetry/log';
import { startProbeServer } from '../../runtime/telemetry/probe-server';
import type { MetricsPage } from '../../runtime/telemetry/router-metrics';
import { EXIT_USAGE, fail } from '../exit';
import { type ObjectNeeds, openObjects } from './object-flags';
import type { ServiceFlags } from './service-flags';

/** A part of the gateway that runs by the objects. */
interface Service {
  update(state: GatewayState): void;
  /** Resolves once it does its work well; it does it from the start. Default: at once. */
  untilReady?(): Promise<void>;
  metricsPage(): Promise<MetricsPage>;
  /** Takes nothing new; what is under way may take `drainMs`. */
  close(drainMs: number): Promise<void>;
}

interface ServiceContext {
  readonly log: Logger;
  /** How near the objects are to those of the cluster; undefined where they are files. */
  readonly source: (() => SourceStatus) | undefined;
}

interface ServiceRun {
  /** In words: `router`. */
  readonly kind: string;
  readonly flags: ServiceFlags;
  /** Of the objects of a cluster. */
  readonly needs: ObjectNeeds;
  /** Milliseconds that it goes on as before after it has become unready, for those who must learn of it. */
  readonly noticeMs: number;
  /** Rejects with a fault of `--listen` as `listenFault` makes it. */
  readonly start: (state: GatewayState, context: ServiceContext) => Promise<Service>;
}

/**
 * Runs a service until a signal: alive at once, ready once the objects are read, it listens and says so. After SIGTERM,
 * SIGINT or SIGHUP it is unready, drains and ends with 0; a second signal ends it at once.
 */
export async function runService({ kind, flags, needs, noticeMs, start }: ServiceRun): Promise<void> {
  const log = createLogger(kind, flags.logLevel);
  const closing = new AbortController();
  let service: Service | undefined;
  let isReady = false;

  const drain = async () => {
    isReady = false;
    closing.abort();
    const from = performance.now();
    log.info({ drainMs: flags.drainTimeout }, `${kind} ends: it takes nothing new, and lets what is under way end`);
    if (service !== undefined) {
      await sleep(Math.min(noticeMs, flags.drainTimeout / 2));
      await service.close(Math.max(0, flags.drainTimeout - (performance.now() - from)));
    }
    process.exit(0);
  };
  let draining = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (draining) process.exit(128 + constants.signals[signal]);
      draining = true;
      void drain().catch(fail);
    });
  }

  const { source, follow, status } = await openObjects(flags, kind, needs, log);
  await startProbeServer({
    ...flags.metrics,
    page: () => service?.metricsPage(),
    ready: () => isReady,
    details: () => (status === undefined ? [] : [sourceText(status())]),
  }).catch((error: unknown) => fail(listenFault('--metrics', error), EXIT_USAGE));
  const follower = followStates(source, log, closing.signal, follow);
  const state = await follower.first.catch(fail);
  const started = await start(state, { log, source: status }).catch((error: unknown) => fail(error, EXIT_USAGE));
  if (draining) return;
  service = started;
  // Of a cluster objects change all the time: pods come and go.
  const changed = status === undefined ? 'info' : 'debug';
  follower.onChange(async (next) => {
    started.update(next);
    log[changed]({ gateway: next.gateway, schedulers: next.schedulers.length }, 'new configuration in force');
  });
  await started.untilReady?.();
  if (draining) return;
  isReady = true;
  log.info({ gateway: state.gateway, schedulers: state.schedulers.length }, `${kind} is ready`);
}

function sourceText({ silentMs, isRemembered }: SourceStatus): string {
  const heard = `the Kubernetes API was last heard ${Math.round(silentMs / 1000)} s ago`;
  return `objects: ${isRemembered ? 'of the last run, for ' : ''}${heard}`;
}

/** What to say where an address of a flag cannot be had. */
export function listenFault(flag: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'EADDRINUSE':
      return new Error(`${flag}: the address is in use; free it or choose another`);
    case 'EACCES':
      return new Error(
        `${flag}: the address needs privileges; choose a port above 1023, or a path that may be written`,
      );
    case 'EADDRNOTAVAIL':
      return new Error(`${flag}: this machine has no such address`);
    default:
      return new Error(`${flag}: cannot be listened on: ${code ?? message}`);
  }
}
