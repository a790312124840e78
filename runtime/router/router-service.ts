import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import type { Logger } from 'pino';
import { MAX_REQUEST_BODY_BYTES } from '../../lib/api/inference-gateway-config/bbr';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { createBodyRouter } from '../body-router/body-router';
import type { PoolStatus } from '../endpoint-picker/status';
import { explainingPicker } from '../explain/explaining-picker';
import { createLogSample } from '../explain/log-sample';
import { createModelNames } from '../explain/model-names';
import { BodyBudget } from '../ext-proc/body-budget';
import type { ListenAddress } from '../ext-proc/listen';
import { startExtProcServer } from '../ext-proc/server';
import type { SourceStatus } from '../objects/object-source';
import { createPickerCore, type Pickers } from '../picker-service/picker-core';
import { openRecording, type RecordOptions } from '../recording/open-recording';
import { recordingPicker } from '../recording/recording-picker';
import { createRouterMetrics, type MetricsPage } from '../telemetry/router-metrics';
import { sparing } from '../telemetry/sparing';
import { startTracing } from '../telemetry/tracing';

export interface RouterServiceOptions {
  /** Where Envoy reaches the processor. */
  readonly listen: ListenAddress;
  /** Of `listen`; default plain text. With a `ca`, Envoy must show a certificate of it. */
  readonly tls?: SecureContextOptions;
  readonly state: GatewayState;
  /** Connects pickers that are processes of their own. Default: they are in this process. */
  readonly connectPickers?: (state: GatewayState, noAnswer: (scheduler: string) => void) => Promise<Pickers>;
  /** Bytes of request bodies that may lie in this process at once; requests beyond it get 503. Default 2 GiB. */
  readonly bodyBudgetBytes?: number;
  /** Record every decision. */
  readonly record?: RecordOptions;
  /** Variables that may ask for traces. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** How near `state` is to the cluster's; absent where it does not come from one. */
  readonly source?: (() => SourceStatus) | undefined;
  readonly log: Logger;
}

/** The Body-Based Router, with the Endpoint Pickers in the same process or connected to them. */
export interface RouterService {
  metricsPage(): Promise<MetricsPage>;
  /** The next request is routed by `state`. */
  update(state: GatewayState): void;
  /** For connections from now on. */
  setTls(tls: SecureContextOptions): void;
  status(): readonly PoolStatus[];
  /** Takes no more streams, lets the open ones end for at most `drainMs` (default 2000), then cuts them. */
  close(drainMs?: number): Promise<void>;
}

/** The largest body, and room for the message around it. */
const MAX_MESSAGE_BYTES = MAX_REQUEST_BODY_BYTES + 1_048_576;

const BODY_BUDGET_BYTES = 2 * 1024 ** 3;

/** Streams that are still open after so long are cut when the process closes. Milliseconds. */
const DRAIN_MS = 2_000;

/** So long before that, requests that are still held are refused: Envoy would balance what is cut. Milliseconds. */
const LAST_ANSWERS_MS = 500;

/** Rejects when an address cannot be had. */
export async function startRouterService(options: RouterServiceOptions): Promise<RouterService> {
  const { log } = options;
  let state = options.state;
  const budget = new BodyBudget(options.bodyBudgetBytes ?? BODY_BUDGET_BYTES);
  const metrics = createRouterMetrics({
    state: () => state,
    source: () => options.source?.(),
    pools: () => pickers.status(),
    waiting: () => pickers.waiting(),
    counters: () => server.counters,
    bufferedBytes: () => budget.usedBytes,
    peers: () => pickers.peers?.(),
  });
  const clock = () => performance.now();
  const { random } = Math;
  const pickers =
    (await options.connectPickers?.(state, metrics.noAnswer)) ??
    createPickerCore({ state, clock, random, observe: metrics, bodies: true, log });
  const recording = options.record && (await openRecording(options.record, state, clock, log));
  const modelName = createModelNames(() => state);
  const tracing = await startTracing({ environment: options.environment ?? process.env, modelName, log });
  const logSample = createLogSample(log, () => (state.explain ? (state.explainLogIntervalMs ?? 0) : 0), clock);
  const explaining = explainingPicker(pickers.picker, {
    clock,
    modelName,
    takes: logSample.takes,
    ended(decision) {
      metrics.decided(decision);
      if (decision.explanation !== undefined) logSample.write(decision);
    },
  });
  const traced = tracing?.picker(explaining) ?? explaining;
  const router = createBodyRouter({
    picker: recording === undefined ? traced : recordingPicker(traced, recording.recorder),
    state: () => state,
    random,
    clock,
    yieldTurn: () => nextTurn(),
    observe: metrics.router,
    onPickerError: (error) => log.error({ err: error }, 'no endpoint could be chosen; the request is answered 503'),
    created: Math.floor(Date.now() / 1000),
    hasEndpoints: pickers.hasEndpoints,
  });
  const server = await startExtProcServer({
    processor: tracing?.processor(router) ?? router,
    listen: options.listen,
    ...(options.tls && { tls: options.tls }),
    onRefused: sparing(
      (reason) => log.warn({ reason }, 'a connection of Envoy was refused: TLS could not be agreed on'),
      clock,
    ),
    maxMessageBytes: MAX_MESSAGE_BYTES,
    budget,
    onHandlerError: (error) => log.error({ err: error }, 'a request could not be processed; Envoy routes it by itself'),
  });
  return {
    metricsPage: () => metrics.page(),
    update(next) {
      pickers.update(next);
      state = next;
      recording?.recorder.fleet(next);
    },
    setTls: server.setTls,
    status: () => pickers.status(),
    async close(drainMs = DRAIN_MS) {
      const refusing = setTimeout(() => router.refuseHeld(), Math.max(0, drainMs - LAST_ANSWERS_MS));
      await server.close(drainMs);
      clearTimeout(refusing);
      await pickers.close();
      await recording?.close();
      await tracing?.close();
    },
  };
}
