import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { MAX_REQUEST_BODY_BYTES } from '../../lib/api/inference-gateway-config/bbr';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { createBodyRouter } from '../body-router/body-router';
import { createScraper } from '../endpoint-picker/endpoints/scraper';
import { precisePicker } from '../endpoint-picker/kv-events/precise-picker';
import { createPrecisePrefix } from '../endpoint-picker/kv-events/precise-prefix';
import { createPicker } from '../endpoint-picker/picker';
import type { PoolStatus } from '../endpoint-picker/status';
import { BodyBudget } from '../ext-proc/body-budget';
import type { ListenAddress } from '../ext-proc/listen';
import { startExtProcServer } from '../ext-proc/server';
import { openRecording, type RecordOptions } from '../recording/open-recording';
import { recordingPicker } from '../recording/recording-picker';
import { startMetricsServer } from '../telemetry/metrics-server';
import { createRouterMetrics } from '../telemetry/router-metrics';

export interface RouterServiceOptions {
  /** Where Envoy reaches the processor. */
  readonly listen: ListenAddress;
  /** Port of `/metrics` on 127.0.0.1; 0 takes a free one. */
  readonly metricsPort: number;
  readonly state: GatewayState;
  /** Bytes of request bodies that may lie in this process at once; requests beyond it get 503. Default 2 GiB. */
  readonly bodyBudgetBytes?: number;
  /** Record every decision. */
  readonly record?: RecordOptions;
  readonly log: Logger;
}

/** The Body-Based Router and the Endpoint Pickers in one process. */
export interface RouterService {
  readonly metricsPort: number;
  /** The next request is routed by `state`. */
  update(state: GatewayState): void;
  status(): readonly PoolStatus[];
  close(): Promise<void>;
}

/** The largest body, and room for the message around it. */
const MAX_MESSAGE_BYTES = MAX_REQUEST_BODY_BYTES + 1_048_576;

const BODY_BUDGET_BYTES = 2 * 1024 ** 3;

/** Streams that are still open after so long are cut when the process closes. Milliseconds. */
const DRAIN_MS = 2_000;

/** Rejects when an address cannot be had. */
export async function startRouterService(options: RouterServiceOptions): Promise<RouterService> {
  const { log } = options;
  let state = options.state;
  const budget = new BodyBudget(options.bodyBudgetBytes ?? BODY_BUDGET_BYTES);
  const metrics = createRouterMetrics({
    pools: () => picker.status(),
    counters: () => server.counters,
    bufferedBytes: () => budget.usedBytes,
  });
  const clock = () => performance.now();
  const { random } = Math;
  const precise = createPrecisePrefix({ clock, random, observe: metrics.kvEvents, log });
  const picker = createPicker({
    state,
    metrics: createScraper({ clock, random, observe: metrics.picker, log }),
    clock,
    random,
    observe: metrics.picker,
    precise,
    later: (work) => setImmediate(work),
  });
  const informed = precisePicker(picker, precise);
  const recording = options.record && (await openRecording(options.record, state, clock, log));
  const processor = createBodyRouter({
    picker: recording === undefined ? informed : recordingPicker(informed, recording.recorder),
    state: () => state,
    random,
    clock,
    yieldTurn: () => nextTurn(),
    observe: metrics.router,
    onPickerError: (error) => log.error({ err: error }, 'no endpoint could be chosen; the request is answered 503'),
    created: Math.floor(Date.now() / 1000),
  });
  const server = await startExtProcServer({
    processor,
    listen: options.listen,
    maxMessageBytes: MAX_MESSAGE_BYTES,
    budget,
    onHandlerError: (error) => log.error({ err: error }, 'a request could not be processed; Envoy routes it by itself'),
  });
  const metricsServer = await startMetricsServer(() => metrics.page(), '127.0.0.1', options.metricsPort);
  return {
    metricsPort: metricsServer.port,
    update(next) {
      picker.update(next);
      state = next;
      recording?.recorder.fleet(next);
    },
    status: () => picker.status(),
    async close() {
      await Promise.all([server.close(DRAIN_MS), metricsServer.close()]);
      await picker.close();
      await precise.close();
      await recording?.close();
    },
  };
}
