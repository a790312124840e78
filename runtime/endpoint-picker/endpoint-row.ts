import type { EngineMetrics } from './engine-metrics';
import { type Drain, drainPerSecond } from './ledger/drain';
import { effectiveQueue, effectiveRunning } from './ledger/effective-load';
import type { EndRate } from './ledger/end-rate';
import { type EndpointLoad, workTokens } from './ledger/endpoint-load';
import { type FullBatch, isBatchFull } from './ledger/full-batch';
import { kvTokenSeconds } from './ledger/kv-price';
import { type LearnedSpeed, promptTokenSeconds, sequenceSeconds, stepSeconds } from './ledger/learned-speed';
import { doneAt } from './ledger/prefill-backlog';
import { heldBits, loadSeconds, nextOutUsedAt } from './scheduling/adapter-wait';
import type { Candidates } from './scheduling/candidates';

/**
 * What a decision reads of an endpoint, as one row of numbers. It is written when a scrape or the ledger changes, so
 * that a pick over a hundred endpoints reads one stretch of memory, not ten objects of each.
 */
interface RowSource {
  readonly load: EndpointLoad;
  readonly drain: Drain;
  readonly ends: EndRate;
  readonly batch: FullBatch;
  readonly speed: LearnedSpeed;
  /** The ledger when the last answered scrape left. */
  readonly scraped: { readonly inFlight: number; readonly tokens: number };
  readonly lastPick: number;
  readonly lastColdPick: number;
  readonly pool: { readonly adapterBits: ReadonlyMap<string, number> };
}

/** Sixteen numbers of eight bytes: two cache lines. */
export const ROW_LENGTH = 16;

// Places in a row.
const CANDIDATE_UNTIL = 0;
const HELD_ADAPTERS = 1;
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
const ADAPTER_OUT = 15;

/**
 * Writes the row of an endpoint whose engine tells `metrics` into `rows`, from `at` on. `candidateUntil`: so long the
 * endpoint is a candidate, by its metrics' age and its health; clock in milliseconds.
 */
export function writeRow(
  rows: Float64Array,
  at: number,
  endpoint: RowSource,
  metrics: EngineMetrics,
  candidateUntil: number,
): void {
  const { load, scraped, drain, ends, speed } = endpoint;
  const { waiting, running } = metrics;
  const queue = effectiveQueue(waiting, running, load.requests, scraped.inFlight);
  const newTokens = load.uncachedTokens + load.outputTokens - scraped.tokens;
  const kvUsage = metrics.kvUsage + Math.max(0, newTokens) / metrics.kvCapacityTokens;
  rows[at + CANDIDATE_UNTIL] = candidateUntil;
  rows[at + RUNNING] = effectiveRunning(waiting, running, load.requests, scraped.inFlight);
  rows[at + KV_USAGE] = Number.isNaN(kvUsage) ? metrics.kvUsage : kvUsage;
  rows[at + LAST_COLD_PICK] = endpoint.lastColdPick;
  rows[at + BUSY_UNTIL] = doneAt(load.backlog, promptTokenSeconds(speed));
  rows[at + IN_FLIGHT] = load.requests;
  rows[at + WORK_TOKENS] = workTokens(load);
  rows[at + TOKEN_SECONDS] = promptTokenSeconds(speed);
  rows[at + STEP_SECONDS] = stepSeconds(speed);
  rows[at + SEQUENCE_SECONDS] = sequenceSeconds(speed);
  const free = (1 - kvUsage) * metrics.kvCapacityTokens;
  rows[at + KV_FREE_TOKENS] = isBatchFull(endpoint.batch) ? Number.NEGATIVE_INFINITY : free;
  rows[at + QUEUE_MS] = waiting > 0 ? ((queue + 1) / drainPerSecond(drain)) * 1000 : Number.NaN;
  rows[at + KV_TOKEN_SECONDS] = kvTokenSeconds(kvUsage, running, metrics.kvCapacityTokens, ends.perSecond);
  rows[at + LAST_PICK] = endpoint.lastPick;
  const adapters = { resident: metrics.adapters, inFlight: load.adapters, recent: load.recentAdapters };
  rows[at + HELD_ADAPTERS] = heldBits(adapters, endpoint.pool.adapterBits);
  rows[at + ADAPTER_OUT] = nextOutUsedAt(adapters);
}

/** What the adapter of this bit costs at the endpoint, in seconds. */
export function rowAdapterSeconds(rows: Float64Array, at: number, bit: number, now: number): number {
  return (rows[at + HELD_ADAPTERS]! & bit) === 0 ? loadSeconds(rows[at + ADAPTER_OUT]!, now) : 0;
}

/**
 * Makes candidates of the endpoints whose rows say that they are. `places` gets the number of each one's row in `rows`.
 * Left to others: what depends on the request.
 */
export function gatherRows(rows: Float64Array, candidates: Candidates, places: Int32Array, now: number): void {
  const { running, kvUsage, lastColdPick, startMs, queueMs, kvTokenSeconds, kvFreeTokens } = candidates;
  const { tokenSeconds, stepSeconds, sequenceSeconds, inFlight, workTokens, lastPick } = candidates;
  let row = 0;
  for (let at = 0; at < rows.length; at += ROW_LENGTH) {
    if (!(now <= rows[at + CANDIDATE_UNTIL]!)) continue;
    places[row] = at / ROW_LENGTH;
    running[row] = rows[at + RUNNING]!;
    kvUsage[row] = rows[at + KV_USAGE]!;
    lastColdPick[row] = rows[at + LAST_COLD_PICK]!;
    startMs[row] = Math.max(0, rows[at + BUSY_UNTIL]! - now);
    queueMs[row] = rows[at + QUEUE_MS]!;
    kvTokenSeconds[row] = rows[at + KV_TOKEN_SECONDS]!;
    kvFreeTokens[row] = rows[at + KV_FREE_TOKENS]!;
    tokenSeconds[row] = rows[at + TOKEN_SECONDS]!;
    stepSeconds[row] = rows[at + STEP_SECONDS]!;
    sequenceSeconds[row] = rows[at + SEQUENCE_SECONDS]!;
    inFlight[row] = rows[at + IN_FLIGHT]!;
    workTokens[row] = rows[at + WORK_TOKENS]!;
    lastPick[row] = rows[at + LAST_PICK]!;
    row += 1;
  }
  candidates.count = row;
}
