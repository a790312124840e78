import { mkdtemp, rm } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type EnvoyOptions, type EnvoyState, envoyResourceFiles, union } from '../../lib/translate/envoy';
import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';
import { directorySource } from '../objects/directory-source';
import type { RecordOptions } from '../recording/open-recording';
import { type EnvoyProcess, startEnvoyProcess } from './envoy-process';
import { assertFree } from './free-address';
import { followStates } from './state-follower';
import { type SupervisedProcess, startSupervisedProcess } from './supervised-process';
import { unservedFields } from './unserved-fields';

export interface LocalGatewayOptions {
  /** Files and folders of YAML. */
  readonly paths: readonly string[];
  /** Clients connect here; port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The Envoy binary. */
  readonly envoy: string;
  /** Worker threads of Envoy, default 2. */
  readonly envoyConcurrency?: number;
  /** The bundled command, which runs the router process too, and picker processes. */
  readonly routerScript: string;
  /** Picker processes. Default 0: the router process has the pickers in it. */
  readonly pickers?: number;
  /** A stream that moves no byte for so long ends. Milliseconds, default 600000. */
  readonly streamIdleTimeoutMs?: number;
  readonly log: Logger;
  /** `pino` level of the router and picker processes, default `warn`. */
  readonly logLevel?: string;
  /** Record every decision of the router. */
  readonly record?: RecordOptions;
}

/** One gateway on one machine: a real Envoy, the router process and its pickers, following edits of the objects. */
export interface LocalGateway {
  readonly url: string;
  /** Of the router. */
  metricsUrl(): string | undefined;
  /** Of each picker process. */
  pickerMetricsUrls(): ReadonlyArray<string | undefined>;
  pids(): {
    readonly envoy: number | undefined;
    readonly router: number | undefined;
    readonly pickers: readonly (number | undefined)[];
  };
  /** As the pickers see them; of several picker processes, the first that answers. */
  pools(): Promise<readonly PoolStatus[]>;
  /** What is in force in every part. */
  state(): GatewayState;
  close(): Promise<void>;
}

/**
 * Envoy keeps for a whole request the routes that it knew at its first byte. By then the requests that began by older
 * routes have been decided by the router, and those that the router decided by its older state have reached a pod.
 */
const SETTLE_MS = 1_000;

/** A picker that does not take a state in so long is stopped or away; it gets the newest when it is back. Milliseconds. */
const PICKER_APPLY_MS = 2_000;

/**
 * Starts everything and resolves once a request would be served. Rejects, with nothing left running, when the objects
 * have faults, the address is taken, or a part does not start.
 */
export async function startLocalGateway(options: LocalGatewayOptions): Promise<LocalGateway> {
  const { log } = options;
  if (options.listen.port !== 0) await assertFree(options.listen.host, options.listen.port);
  const closing = new AbortController();
  const workDir = await mkdtemp(join(tmpdir(), 'igw-'));
  const follower = followStates(directorySource(options.paths), log, closing.signal, {
    remarks: ({ objects }) => unservedFields(objects),
  });
  let router: SupervisedProcess | undefined;
  let pickers: readonly SupervisedProcess[] = [];
  let envoy: EnvoyProcess | undefined;

  const closeAll = async () => {
    closing.abort();
    await Promise.all([envoy?.close(), router?.close()]);
    await Promise.all(pickers.map((picker) => picker.close()));
    // A switch that was under way must not write into the folder that goes.
    await follower.idle();
    await rm(workDir, { recursive: true, force: true });
  };
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeAll();
    return closed;
  };

  try {
    const envoyOptions: Omit<EnvoyOptions, 'listen'> = {
      directory: workDir,
      admin: { pipe: join(workDir, 'admin.sock') },
      processor: { pipe: join(workDir, 'router.sock') },
      // Envoy's own lines come by the same way, and are logged at the same level.
      ...(log.isLevelEnabled('debug') && { accessLog: true }),
      ...(options.streamIdleTimeoutMs !== undefined && { streamIdleTimeoutMs: options.streamIdleTimeoutMs }),
    };
    const files = (state: EnvoyState) => (port: number) =>
      envoyResourceFiles(state, { ...envoyOptions, listen: { host: options.listen.host, port } });
    const first = await follower.first;

    const logLevel = ['--log-level', options.logLevel ?? 'warn'];
    const pickerSockets = Array.from({ length: options.pickers ?? 0 }, (_, index) =>
      join(workDir, `picker-${index}.sock`),
    );
    const started = await Promise.allSettled(
      pickerSockets.map((socket, index) =>
        startSupervisedProcess({
          name: `picker ${index}`,
          script: options.routerScript,
          args: ['local-picker', '--socket', socket, ...logLevel],
          state: first,
          log,
        }),
      ),
    );
    pickers = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    const { record } = options;
    router = await startSupervisedProcess({
      name: 'router',
      script: options.routerScript,
      args: [
        ...['local-router', '--socket', join(workDir, 'router.sock'), ...logLevel],
        ...pickerSockets.flatMap((socket) => ['--picker', socket]),
        ...(record === undefined ? [] : ['--record', record.path, '--record-limit', String(record.limitBytes)]),
      ],
      state: first,
      log,
    });
    envoy = await startEnvoyProcess({
      binary: options.envoy,
      workDir,
      adminSocket: join(workDir, 'admin.sock'),
      concurrency: options.envoyConcurrency ?? 2,
      port: options.listen.port,
      files: files(first),
      log,
    });

    const parts = { router, envoy };
    let routed = first;
    let inForce = first;
    const settle = () => sleep(SETTLE_MS, undefined, { signal: closing.signal });
    // Make before break: Envoy first knows both states, then the pickers move, then the router, then Envoy forgets the
    // old one. So no request is sent by a route or to a pod that Envoy does not know, nor asked of a picker that does not
    // know its scheduler; one for a scheduler that is going is balanced by Envoy.
    follower.onChange(async (next) => {
      await parts.envoy.publish(files(union(routed, next)));
      if (addsRoutes(routed, next)) await settle();
      await Promise.race([
        Promise.all(pickers.map((picker) => picker.apply(next))),
        sleep(PICKER_APPLY_MS, undefined, { signal: closing.signal, ref: false }),
      ]);
      await parts.router.apply(next);
      routed = next;
      await settle();
      await parts.envoy.publish(files(next));
      inForce = next;
      log.info({ gateway: next.gateway, schedulers: next.schedulers.length }, 'new configuration in force');
    });

    const host = isIPv6(options.listen.host) ? `[${options.listen.host}]` : options.listen.host;
    return {
      url: `http://${host}:${parts.envoy.port}`,
      metricsUrl: () => parts.router.metricsUrl(),
      pickerMetricsUrls: () => pickers.map((picker) => picker.metricsUrl()),
      pids: () => ({
        envoy: parts.envoy.pid(),
        router: parts.router.pid(),
        pickers: pickers.map((picker) => picker.pid()),
      }),
      pools: () => firstStatus(pickers.length > 0 ? pickers : [parts.router]),
      state: () => inForce,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function firstStatus(processes: readonly SupervisedProcess[]): Promise<readonly PoolStatus[]> {
  for (const one of processes) {
    const pools = await one.status();
    if (pools.length > 0) return pools;
  }
  return [];
}

/** Whether the router can, by `next`, send a request where no route of `previous` leads. */
function addsRoutes(previous: GatewayState, next: GatewayState): boolean {
  const known = new Set(previous.schedulers.map(({ modelName }) => modelName));
  const newModel = next.schedulers.some(({ modelName }) => !known.has(modelName));
  return newModel || (next.defaultBackend !== undefined && previous.defaultBackend === undefined);
}
