import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { compileGatewayState } from '../../lib/translate/compile-gateway-state';
import { type EnvoyOptions, type EnvoyState, envoyResourceFiles, union } from '../../lib/translate/envoy';
import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';
import { directorySource } from '../objects/directory-source';
import type { ObjectSet } from '../objects/object-source';
import { type EnvoyProcess, type FilesFor, startEnvoyProcess } from './envoy-process';
import { assertFree } from './free-address';
import { type RouterProcess, startRouterProcess } from './router-process';

export interface LocalGatewayOptions {
  /** Files and folders of YAML. */
  readonly paths: readonly string[];
  /** Clients connect here; port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The Envoy binary. */
  readonly envoy: string;
  /** Worker threads of Envoy, default 2. */
  readonly envoyConcurrency?: number;
  /** The bundled command, which runs the router process too. */
  readonly routerScript: string;
  /** A stream that moves no byte for so long ends. Milliseconds, default 600000. */
  readonly streamIdleTimeoutMs?: number;
  readonly log: Logger;
  /** `pino` level of the router process, default `warn`. */
  readonly logLevel?: string;
}

/** One gateway on one machine: a real Envoy and the router process, following edits of the objects. */
export interface LocalGateway {
  readonly url: string;
  metricsUrl(): string | undefined;
  pids(): { readonly envoy: number | undefined; readonly router: number | undefined };
  pools(): Promise<readonly PoolStatus[]>;
  /** What is in force now. */
  state(): GatewayState;
  close(): Promise<void>;
}

/**
 * Envoy keeps for a whole request the routes that it knew at its first byte. By then the requests that began by older
 * routes have been decided by the router, and those that the router decided by its older state have reached a pod.
 */
const SETTLE_MS = 1_000;

/**
 * Starts everything and resolves once a request would be served. Rejects, with nothing left running, when the objects
 * have faults, the address is taken, or a part does not start.
 */
export async function startLocalGateway(options: LocalGatewayOptions): Promise<LocalGateway> {
  const { log } = options;
  if (options.listen.port !== 0) await assertFree(options.listen.host, options.listen.port);
  const closing = new AbortController();
  const workDir = await mkdtemp(join(tmpdir(), 'igw-'));
  let router: RouterProcess | undefined;
  let envoy: EnvoyProcess | undefined;

  const close = async () => {
    if (closing.signal.aborted) return;
    closing.abort();
    await Promise.all([envoy?.close(), router?.close()]);
    await rm(workDir, { recursive: true, force: true });
  };

  try {
    const envoyOptions: Omit<EnvoyOptions, 'listen'> = {
      directory: workDir,
      admin: { pipe: join(workDir, 'admin.sock') },
      processor: { pipe: join(workDir, 'router.sock') },
      ...(options.streamIdleTimeoutMs !== undefined && { streamIdleTimeoutMs: options.streamIdleTimeoutMs }),
    };
    const files = (state: EnvoyState) => (port: number) =>
      envoyResourceFiles(state, { ...envoyOptions, listen: { host: options.listen.host, port } });
    const follow = watchStates(options.paths, log, closing.signal);
    const first = await follow.first;

    router = startRouterProcess({
      script: options.routerScript,
      socketPath: join(workDir, 'router.sock'),
      logLevel: options.logLevel ?? 'warn',
      log,
    });
    await router.apply(first);
    envoy = await startEnvoyProcess({
      binary: options.envoy,
      workDir,
      adminSocket: join(workDir, 'admin.sock'),
      concurrency: options.envoyConcurrency ?? 2,
      port: options.listen.port,
      files: files(first),
      log,
    });

    let inForce = first;
    const running = { router, envoy };
    follow.onChange(async (next) => {
      await switchState(running, files, inForce, next);
      inForce = next;
      log.info({ gateway: next.gateway, schedulers: next.schedulers.length }, 'new configuration in force');
    });

    return {
      url: `http://${options.listen.host}:${running.envoy.port}`,
      metricsUrl: () => running.router.metricsUrl(),
      pids: () => ({ envoy: running.envoy.pid(), router: running.router.pid() }),
      pools: () => running.router.status(),
      state: () => inForce,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Make before break: Envoy first knows both states, then the router moves, then Envoy forgets the old one. So no
 * request is sent by a route or to a pod that Envoy does not know.
 */
async function switchState(
  parts: { readonly router: RouterProcess; readonly envoy: EnvoyProcess },
  files: (state: EnvoyState) => FilesFor,
  previous: GatewayState,
  next: GatewayState,
): Promise<void> {
  await parts.envoy.publish(files(union(previous, next)));
  if (addsRoutes(previous, next)) await sleep(SETTLE_MS);
  await parts.router.apply(next);
  await sleep(SETTLE_MS);
  await parts.envoy.publish(files(next));
}

/** Whether the router can, by `next`, send a request where no route of `previous` leads. */
function addsRoutes(previous: GatewayState, next: GatewayState): boolean {
  const known = new Set(previous.schedulers.map(({ modelName }) => modelName));
  const newModel = next.schedulers.some(({ modelName }) => !known.has(modelName));
  return newModel || (next.defaultBackend !== undefined && previous.defaultBackend === undefined);
}

interface StateFollower {
  /** Rejects with every fault of the objects when they cannot be used. */
  readonly first: Promise<GatewayState>;
  /** Calls back, one at a time, with the newest state whenever it has changed. */
  onChange(callback: (next: GatewayState) => Promise<void>): void;
}

function watchStates(paths: readonly string[], log: Logger, signal: AbortSignal): StateFollower {
  let callback: ((next: GatewayState) => Promise<void>) | undefined;
  let waiting: GatewayState | undefined;
  let busy = false;
  let started = false;
  let resolveFirst: (state: GatewayState) => void;
  let rejectFirst: (error: Error) => void;
  const first = new Promise<GatewayState>((resolve, reject) => {
    resolveFirst = resolve;
    rejectFirst = reject;
  });

  const pump = async () => {
    if (busy || callback === undefined) return;
    busy = true;
    while (waiting !== undefined && !signal.aborted) {
      const next = waiting;
      waiting = undefined;
      try {
        await callback(next);
      } catch (error) {
        log.error({ reason: (error as Error).message }, 'could not switch to the new configuration');
      }
    }
    busy = false;
  };

  const onFault = (fault: Error) => {
    if (!started) rejectFirst(fault);
    else log.error(`configuration kept as it was: ${fault.message}`);
  };
  const onObjects = (set: ObjectSet) => {
    const compiled = compileGatewayState(set.objects);
    if ('faults' in compiled) {
      onFault(new Error(compiled.faults.join('\n')));
      return;
    }
    for (const warning of compiled.warnings) log.warn(warning);
    if (!started) {
      started = true;
      resolveFirst(compiled.state);
      return;
    }
    waiting = compiled.state;
    void pump();
  };
  directorySource(paths)
    .watch(onObjects, onFault, signal)
    .catch((error: Error) => onFault(error));

  return {
    first,
    onChange(next) {
      callback = next;
      void pump();
    },
  };
}
