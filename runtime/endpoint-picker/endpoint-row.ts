import type { EngineMetrics } from './engine-metrics';
import type { Drain } from './ledger/drain';
import { effectiveQueue, effectiveRunning } from './ledger/effective-load';
import { type EndpointLoad, workTokens } from './ledger/endpoint-load';
import { expectedStartMs } from './ledger/expected-start';
import type { Candidates } from './scheduling/candidates';

/**
 * What a decision reads of an endpoint, as one row of numbers. It is written when a scrape or the ledger changes, so
 * that a pick over a hundred endpoints reads one stretch of memory, not ten objects of each.
 */
interface RowSource {
  readonly ready: boolean;
  /** Clock, milliseconds. */
  readonly freshUntil: number;
  readonly load: EndpointLoad;
  readonly drain: Drain;
  /** The ledger when the last answered scrape left. */
  readonly scraped: { readonly inFlight: number };
  readonly lastColdPick: number;
}

/** Eight numbers of eight bytes: one cache line. */
export const ROW_LENGTH = 8;

// Places in a row.
const FRESH_UNTIL = 0;
const QUEUE = 1;
const RUNNING = 2;
const KV_USAGE = 3;
const LAST_COLD_PICK = 4;
const START_MS = 5;
const IN_FLIGHT = 6;
const WORK_TOKENS = 7;

/** Writes the row of an endpoint whose engine tells `metrics` into `rows`, from `at` on. */
export function writeRow(rows: Float64Array, at: number, endpoint: RowSource, metrics: EngineMetrics): void {
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

/** The endpoint is ready and its metrics are fresh, or it is known to have none. */
export function isRowFresh(rows: Float64Array, at: number, now: number): boolean {
  return now <= rows[at + FRESH_UNTIL]!;
}

/** Hands the row that begins at `at` to candidate `row`. */
export function copyRow(rows: Float64Array, at: number, candidates: Candidates, row: number): void {
  candidates.queue[row] = rows[at + QUEUE]!;
  candidates.running[row] = rows[at + RUNNING]!;
  candidates.kvUsage[row] = rows[at + KV_USAGE]!;
  candidates.lastColdPick[row] = rows[at + LAST_COLD_PICK]!;
  candidates.startMs[row] = rows[at + START_MS]!;
  candidates.inFlight[row] = rows[at + IN_FLIGHT]!;
  candidates.workTokens[row] = rows[at + WORK_TOKENS]!;
}
