import type { EndpointState } from '../../lib/translate/gateway-state';
import { writeRow } from './endpoint-row';
import { type EngineCounters, type EngineMetrics, NO_METRICS } from './engine-metrics';
import {
  createHealth,
  type EndpointHealth,
  type ExclusionReason,
  isOpen,
  type PoolHealth,
} from './health/endpoint-health';
import { createDrain, type Drain } from './ledger/drain';
import { createEndRate, type EndRate } from './ledger/end-rate';
import { createLoad, type EndpointLoad } from './ledger/endpoint-load';
import { createFullBatch, type FullBatch } from './ledger/full-batch';
import { createLearnedSpeed, type LearnedSpeed, type SpeedMultiples } from './ledger/learned-speed';
import { createPendingCount, type PendingCount } from './ledger/pending-count';

/**
 * What a pool knows of one generation of an endpoint: a pod with another uid at the same address is another one.
 * Written by its pool, by its scrapes and by the tickets that point at its load.
 */
export interface PooledEndpoint {
  /** Its number in the prefix index. */
  readonly id: number;
  readonly address: string;
  readonly pod: string;
  readonly uid: string | undefined;
  /** As of the endpoint's state: an endpoint with other ports is another one. */
  readonly metricsPort: number | undefined;
  readonly kvEventsPort: number | undefined;
  readonly kvReplayPort: number | undefined;
  ready: boolean;
  readonly health: EndpointHealth;
  /** The reason of exclusion that its pool was told last. */
  toldExclusion: ExclusionReason | undefined;
  readonly load: EndpointLoad;
  readonly drain: Drain;
  readonly ends: EndRate;
  readonly batch: FullBatch;
  readonly speed: LearnedSpeed;
  readonly pool: PoolKnowledge;
  /** The last answer to a scrape; undefined: there was none yet. */
  answer: EngineMetrics | 'no-metrics' | undefined;
  /** Clock, milliseconds; minus infinity before the first answer. */
  answeredAt: number;
  /** Between two scrapes at present, milliseconds. */
  intervalMs: number;
  /** Clock, milliseconds: from then on the last answer is stale. */
  freshUntil: number;
  /** The ledger when the last scrape left, and when the last answered one did. */
  sent: Mark;
  scraped: Mark;
  /** Where the stretch of work that is not learned from yet begins: the engine's counters and the ledger then, and the tokens of prompts under way. */
  stretch: { readonly counters: EngineCounters; readonly mark: Mark; readonly untold: number } | undefined;
  readonly pending: PendingCount;
  picks: number;
  /** Order of its last pick in the pool; 0: never. */
  lastPick: number;
  /** Order of its last pick for a prompt that nobody held; 0: never. */
  lastColdPick: number;
  /** Clock, milliseconds: when a first token was asked for last. */
  sampledAt: number;
  /** Where decisions read of it; undefined once it has left its pool. */
  row: { readonly rows: Float64Array; readonly at: number } | undefined;
}

/** What all endpoints of a pool share. */
export interface PoolKnowledge {
  /** What an endpoint is taken for without evidence of its own. */
  speed: SpeedMultiples;
  /** A bit for each of the adapters that were asked for first, by which rows tell who holds them. */
  readonly adapterBits: Map<string, number>;
  readonly health: PoolHealth;
  /** The endpoint is excluded for this reason from now on; undefined: for none. */
  exclusionChanged(endpoint: PooledEndpoint, reason: ExclusionReason | undefined): void;
}

interface Mark {
  readonly at: number;
  readonly inFlight: number;
  readonly ended: number;
  /** Requests sent, less those given up. */
  readonly sent: number;
  /** Prompt tokens sent, ever. */
  readonly line: number;
  /** New tokens, of prompts and answers, of the requests in flight. */
  readonly tokens: number;
  readonly busyMs: number;
  /** Times that it became busy. */
  readonly starts: number;
}

const START: Mark = { at: 0, inFlight: 0, ended: 0, sent: 0, line: 0, tokens: 0, busyMs: 0, starts: 0 };

export function createEndpoint(id: number, state: EndpointState, pool: PoolKnowledge): PooledEndpoint {
  return {
    id,
    address: state.address,
    pod: state.pod,
    uid: state.uid,
    metricsPort: state.metricsPort,
    kvEventsPort: state.kvEventsPort,
    kvReplayPort: state.kvReplayPort,
    ready: state.ready,
    health: createHealth(),
    toldExclusion: undefined,
    load: createLoad(),
    drain: createDrain(),
    ends: createEndRate(),
    batch: createFullBatch(),
    speed: createLearnedSpeed(pool.speed),
    pool,
    answer: undefined,
    answeredAt: Number.NEGATIVE_INFINITY,
    intervalMs: 0,
    freshUntil: Number.NEGATIVE_INFINITY,
    sent: START,
    scraped: START,
    stretch: undefined,
    pending: createPendingCount(),
    picks: 0,
    lastPick: 0,
    lastColdPick: 0,
    sampledAt: Number.NEGATIVE_INFINITY,
    row: undefined,
  };
}

/** To be called when anything of the endpoint has changed that a decision reads: its ledger, metrics, readiness, health. */
export function endpointChanged(endpoint: PooledEndpoint): void {
  const { row, freshUntil, health } = endpoint;
  if (row === undefined) return;
  const candidateUntil = isOpen(endpoint) ? freshUntil : Number.NEGATIVE_INFINITY;
  writeRow(row.rows, row.at, endpoint, metricsOf(endpoint), candidateUntil);
  const reason = health.exclusion?.reason;
  if (reason === endpoint.toldExclusion) return;
  endpoint.toldExclusion = reason;
  endpoint.pool.exclusionChanged(endpoint, reason);
}

/** What the engine told last, stale or not. */
export function metricsOf({ answer }: PooledEndpoint): EngineMetrics {
  return answer === undefined || answer === 'no-metrics' ? NO_METRICS : answer;
}

/** `never`: not scraped with success yet. `no-metrics`: the server answers, without a metrics page. */
export type MetricsState = 'fresh' | 'stale' | 'no-metrics' | 'never';

export function metricsState(endpoint: PooledEndpoint, now: number): MetricsState {
  if (endpoint.answer === undefined) return 'never';
  if (now > endpoint.freshUntil) return 'stale';
  return endpoint.answer === 'no-metrics' ? 'no-metrics' : 'fresh';
}
