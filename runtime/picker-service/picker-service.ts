import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { MAX_REQUEST_BODY_BYTES } from '../../lib/api/inference-gateway-config/bbr';
import { type GatewayState, schedulerName } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';
import { BodyBudget } from '../ext-proc/body-budget';
import { type ExtProcCounters, newCounters } from '../ext-proc/counters';
import type { ListenAddress } from '../ext-proc/listen';
import type { ExtProcServer } from '../ext-proc/server';
import { startGiePicker } from '../gie-picker/gie-picker';
import type { SourceStatus } from '../objects/object-source';
import { servePickerRpc } from '../picker-rpc/serve/picker-server';
import { createRouterMetrics, type MetricsPage } from '../telemetry/router-metrics';
import { sparing } from '../telemetry/sparing';
import { createPickerCore } from './picker-core';
import { untilInformed } from './until-informed';

export interface PickerServiceOptions {
  /** Where routers reach it. */
  readonly listen: ListenAddress;
  readonly tls?: SecureContextOptions;
  /** Where other gateways reach the pickers of single schedulers, by the protocol of the inference extension. */
  readonly extProc?: ReadonlyArray<{ readonly scheduler: string; readonly listen: ListenAddress }>;
  /** Of those; default plain text. With a `ca`, the other gateways must show a certificate of it. */
  readonly extProcTls?: SecureContextOptions;
  readonly state: GatewayState;
  /** Pick for these only, each `namespace/name`. Default: all. */
  readonly schedulers?: readonly string[];
  /** Who it is among its replicas, over its lives. */
  readonly replica: string;
  /** How near `state` is to the cluster's; absent where it does not come from one. */
  readonly source?: (() => SourceStatus) | undefined;
  readonly log: Logger;
}

/** The Endpoint Pickers of a gateway as a process of their own. */
export interface PickerService {
  metricsPage(): Promise<MetricsPage>;
  /** The next pick is made by `state`. */
  update(state: GatewayState): void;
  /** For connections from now on. */
  setTls(tls: SecureContextOptions): void;
  setExtProcTls(tls: SecureContextOptions): void;
  status(): readonly PoolStatus[];
  /** Resolves once the pods that are ready have been asked for their metrics, or after 2 s. */
  untilReady(): Promise<void>;
  /** Routers are asked to pick elsewhere, and get at most `drainMs` for it. */
  close(drainMs: number): Promise<void>;
}

/** The largest body, and room for the message around it. */
const MAX_MESSAGE_BYTES = MAX_REQUEST_BODY_BYTES + 1_048_576;

/** Request bodies of other gateways that may lie in this process at once. */
const BODY_BUDGET_BYTES = 2 * 1024 ** 3;

/** A picker that knows nothing of its pods is no better than none, but no worse either. Milliseconds. */
const INFORMED_AFTER_MS = 2_000;

/** Rejects when an address cannot be had. */
export async function startPickerService(options: PickerServiceOptions): Promise<PickerService> {
  const { log, schedulers } = options;
  const clock = () => performance.now();
  let state = ownState(options.state, schedulers);
  let known = names(state);
  const { extProc = [] } = options;
  const budget = new BodyBudget(BODY_BUDGET_BYTES);
  const gieServers: ExtProcServer[] = [];
  const metrics = createRouterMetrics({
    state: () => state,
    source: () => options.source?.(),
    pools: () => core.status(),
    waiting: () => core.waiting(),
    counters: () => sumOf(gieServers.map(({ counters }) => counters)),
    bufferedBytes: () => budget.usedBytes,
    peers: () => routers(),
  });
  const core = createPickerCore({
    state,
    clock,
    random: Math.random,
    observe: metrics,
    bodies: extProc.length > 0,
    log,
  });
  const onPickerError = (error: unknown) => log.error({ err: error }, 'no endpoint could be chosen');
  const onRefused = sparing(
    (reason) => log.warn({ reason }, 'a connection of another gateway was refused: TLS could not be agreed on'),
    clock,
  );
  const startedAt = Date.now();
  let routers = () => 0;
  const closeGie = (drainMs: number) => Promise.all(gieServers.map((one) => one.close(drainMs)));
  try {
    for (const one of extProc) {
      gieServers.push(
        await startGiePicker({
          ...one,
          ...(options.extProcTls && { tls: options.extProcTls }),
          picker: core.picker,
          state: () => state,
          maxMessageBytes: MAX_MESSAGE_BYTES,
          budget,
          random: Math.random,
          clock,
          yieldTurn: () => nextTurn(),
          observe: metrics.router,
          onPickerError,
          onRefused,
          onHandlerError: (error) => log.error({ err: error }, 'a request of another gateway could not be processed'),
        }),
      );
    }
    const server = await servePickerRpc({
      picker: core.picker,
      enter: core.enter,
      knows: (scheduler) => known.has(scheduler),
      onPickerError,
      listen: options.listen,
      ...(options.tls && { tls: options.tls }),
      gateway: () => state.gateway,
      ready: () => readySchedulers(state),
      identity: { replica: options.replica, boot: `${process.pid}-${startedAt}`, startedAt, schedulers },
      clock,
      log,
    });
    routers = server.routers;
    return {
      metricsPage: metrics.page,
      update(next) {
        state = ownState(next, schedulers);
        known = names(state);
        core.update(state);
        server.readyChanged();
        for (const one of gieServers) one.healthChanged();
      },
      setTls: server.setTls,
      setExtProcTls(tls) {
        for (const one of gieServers) one.setTls(tls);
      },
      status: core.status,
      untilReady: () => untilInformed(core.status, INFORMED_AFTER_MS),
      async close(drainMs) {
        await Promise.all([server.close(drainMs), closeGie(drainMs)]);
        await core.close();
      },
    };
  } catch (error) {
    await closeGie(0);
    await core.close();
    throw error;
  }
}

/** Of what the metrics page tells. */
function sumOf(all: ReadonlyArray<Readonly<ExtProcCounters>>): ExtProcCounters {
  const sum = newCounters();
  for (const { openStreams, malformed, tooLarge, handlerErrors, budgetRefusals } of all) {
    sum.openStreams += openStreams;
    sum.malformed += malformed;
    sum.tooLarge += tooLarge;
    sum.handlerErrors += handlerErrors;
    sum.budgetRefusals += budgetRefusals;
  }
  return sum;
}

function ownState(state: GatewayState, schedulers: readonly string[] | undefined): GatewayState {
  if (schedulers === undefined) return state;
  const own = state.schedulers.filter((scheduler) => schedulers.includes(schedulerName(scheduler)));
  return { ...state, schedulers: own };
}

function names({ schedulers }: GatewayState): ReadonlySet<string> {
  return new Set(schedulers.map(schedulerName));
}

function readySchedulers({ schedulers }: GatewayState): readonly string[] {
  return schedulers.filter(({ endpoints }) => endpoints.some(({ ready }) => ready)).map(schedulerName);
}
