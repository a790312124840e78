import type { EngineMetrics } from './engine-metrics';
import { effectiveQueue, effectiveRunning } from './ledger/effective-load';
import { workTokens } from './ledger/endpoint-load';
import { expectedStartMs } from './ledger/expected-start';
import type { PooledEndpoint } from './pooled-endpoint';

/** Numbers of a row. Eight of eight bytes: one cache line. */
export const ROW_LENGTH = 8;

// Places in a row. NaN: not known.
/** Clock, milliseconds; minus infinity where the endpoint is not ready or was never scraped with success. */
export const FRESH_UNTIL = 0;
export const QUEUE = 1;
export const RUNNING = 2;
export const KV_USAGE = 3;
export const LAST_COLD_PICK = 4;
export const START_MS = 5;
export const IN_FLIGHT = 6;
export const WORK_TOKENS = 7;

/** Nothing known: what an endpoint without fresh metrics looks like to the scorers. */
export const NO_METRICS: EngineMetrics = {
  waiting: Number.NaN,
  running: Number.NaN,
  kvUsage: Number.NaN,
  adapters: undefined,
};

/** What a decision wants to know of an endpoint, by its ledger and `metrics`, written into `rows` from `at` on. */
export function writeRow(rows: Float64Array, at: number, endpoint: PooledEndpoint, metrics: EngineMetrics): void {
  const { load, scraped, drain } = endpoint;
  const { waiting, running } = metrics;
  rows[at + FRESH_UNTIL] = endpoint.ready ? endpoint.freshUntil : Number.NEGATIVE_INFINITY;
  rows[at + QUEUE] = effectiveQueue(waiting, running, load.requests, scraped.inFlight);
  rows[at + RUNNING] = effectiveRunning(waiting, running, load.requests, scraped.inFlight);
  rows[at + KV_USAGE] = metrics.kvUsage;
  rows[at + LAST_COLD_PICK] = endpoint.lastColdPick;
  rows[at + START_MS] = expectedStartMs(waiting, load.requests, scraped.inFlight, drain);
  rows[at + IN_FLIGHT] = load.requests;
  rows[at + WORK_TOKENS] = workTokens(load);
}
