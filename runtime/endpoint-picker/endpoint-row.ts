import type { EngineMetrics } from './engine-metrics';
import { type Drain, drainPerSecond } from './ledger/drain';
import type { EndRate } from './ledger/end-rate';
import { kvTokenSeconds } from './ledger/kv-price';
import { effectiveQueue, effectiveRunning } from './ledger/effective-load';
import { type EndpointLoad, workTokens } from './ledger/endpoint-load';
import { type LearnedSpeed, promptTokenSeconds, sequenceSeconds, stepSeconds } from './ledger/learned-speed';
import { doneAt } from './ledger/prefill-backlog';
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
  readonly ends: EndRate;
  readonly speed: LearnedSpeed;
  /** The ledger when the last answered scrape left. */
  readonly scraped: { readonly inFlight: number; readonly tokens: number };
  readonly lastPick: number;
  readonly lastColdPick: number;
}

/** Sixteen numbers of eight bytes: two cache lines. */
export const ROW_LENGTH = 16;

// Places in a row.
const FRESH_UNTIL = 0;
const QUEUE = 1;
const RUNNING = 2;
const KV_USAGE = 3;
const LAST_COLD_PICK = 4;
const BUSY_UNTIL = 5;
const IN_FLIGHT = 6;
const WORK_TOKENS = 7;
const TOKEN_SECONDS = 8;
const STEP_SECONDS = 9;
const KV_FREE_TOKENS = 10;
const QUEUE_MS = 11;
const LAST_PICK = 12;
const SEQUENCE_SECONDS = 13;
const KV_TOKEN_SECONDS = 14;

/** Writes the row of an endpoint whose engine tells `metrics` into `rows`, from `at` on. */
export function writeRow(rows: Float64Array, at: number, endpoint: RowSource, metrics: EngineMetrics): void {
  const { load, scraped, drain, ends, speed } = endpoint;
  const { waiting, running } = metrics;
  const queue = effectiveQueue(waiting, running, load.requests, scraped.inFlight);
  const newTokens = load.uncachedTokens + load.outputTokens - scraped.tokens;
  const kvUsage = metrics.kvUsage + Math.max(0, newTokens) / metrics.kvCapacityTokens;
  rows[at + FRESH_UNTIL] = endpoint.ready ? endpoint.freshUntil : Number.NEGATIVE_INFINITY;
  rows[at + QUEUE] = queue;
  rows[at + RUNNING] = effectiveRunning(waiting, running, load.requests, scraped.inFlight);
  rows[at + KV_USAGE] = Number.isNaN(kvUsage) ? metrics.kvUsage : kvUsage;
  rows[at + LAST_COLD_PICK] = endpoint.lastColdPick;
  rows[at + BUSY_UNTIL] = doneAt(load.backlog, promptTokenSeconds(speed));
  rows[at + IN_FLIGHT] = load.requests;
  rows[at + WORK_TOKENS] = workTokens(load);
  rows[at + TOKEN_SECONDS] = promptTokenSeconds(speed);
  rows[at + STEP_SECONDS] = stepSeconds(speed);
  rows[at + SEQUENCE_SECONDS] = sequenceSeconds(speed);
  rows[at + KV_FREE_TOKENS] = (1 - kvUsage) * metrics.kvCapacityTokens;
  rows[at + QUEUE_MS] = waiting > 0 ? ((queue + 1) / drainPerSecond(drain)) * 1000 : Number.NaN;
  rows[at + KV_TOKEN_SECONDS] = kvTokenSeconds(kvUsage, running, metrics.kvCapacityTokens, ends.perSecond);
  rows[at + LAST_PICK] = endpoint.lastPick;
}

/** The endpoint is ready and its metrics are fresh, or it is known to have none. */
export function isRowFresh(rows: Float64Array, at: number, now: number): boolean {
  return now <= rows[at + FRESH_UNTIL]!;
}

/** Hands the row that begins at `at` to candidate `row`, for a prompt that has `tokens` to compute without a cache. */
export function copyRow(rows: Float64Array, at: number, candidates: Candidates, row: number, now: number): void {
  candidates.queue[row] = rows[at + QUEUE]!;
  candidates.running[row] = rows[at + RUNNING]!;
  candidates.kvUsage[row] = rows[at + KV_USAGE]!;
  candidates.lastColdPick[row] = rows[at + LAST_COLD_PICK]!;
  candidates.startMs[row] = Math.max(0, rows[at + BUSY_UNTIL]! - now);
  candidates.queueMs[row] = rows[at + QUEUE_MS]!;
  candidates.kvTokenSeconds[row] = rows[at + KV_TOKEN_SECONDS]!;
  candidates.kvFreeTokens[row] = rows[at + KV_FREE_TOKENS]!;
  candidates.tokenSeconds[row] = rows[at + TOKEN_SECONDS]!;
  candidates.stepSeconds[row] = rows[at + STEP_SECONDS]!;
  candidates.sequenceSeconds[row] = rows[at + SEQUENCE_SECONDS]!;
  candidates.inFlight[row] = rows[at + IN_FLIGHT]!;
  candidates.workTokens[row] = rows[at + WORK_TOKENS]!;
  candidates.lastPick[row] = rows[at + LAST_PICK]!;
}
