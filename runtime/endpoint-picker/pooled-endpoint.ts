import type { EndpointState } from '../../lib/translate/gateway-state';
import { writeRow } from './endpoint-row';
import { type EngineMetrics, NO_METRICS } from './engine-metrics';
import { createDrain, type Drain, observeDrain } from './ledger/drain';
import { createLoad, type EndpointLoad } from './ledger/endpoint-load';
import { freshUntil } from './scheduling/freshness';

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
  ready: boolean;
  readonly load: EndpointLoad;
  readonly drain: Drain;
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
  picks: number;
  /** Order of its last pick for a prompt that nobody held; 0: never. */
  lastColdPick: number;
  /** Where decisions read of it; undefined once it has left its pool. */
  row: { readonly rows: Float64Array; readonly at: number } | undefined;
}

interface Mark {
  readonly at: number;
  readonly inFlight: number;
  readonly ended: number;
}

const START: Mark = { at: 0, inFlight: 0, ended: 0 };

export function createEndpoint(id: number, state: EndpointState): PooledEndpoint {
  return {
    id,
    address: state.address,
    pod: state.pod,
    uid: state.uid,
    ready: state.ready,
    load: createLoad(),
    drain: createDrain(),
    answer: undefined,
    answeredAt: Number.NEGATIVE_INFINITY,
    intervalMs: 0,
    freshUntil: Number.NEGATIVE_INFINITY,
    sent: START,
    scraped: START,
    picks: 0,
    lastColdPick: 0,
    row: undefined,
  };
}

/** To be called when anything of the endpoint has changed that a decision reads: its ledger, metrics, readiness. */
export function endpointChanged(endpoint: PooledEndpoint): void {
  if (endpoint.row !== undefined) writeRow(endpoint.row.rows, endpoint.row.at, endpoint, metricsOf(endpoint));
}

/** What the engine told last, stale or not. */
export function metricsOf({ answer }: PooledEndpoint): EngineMetrics {
  return answer === undefined || answer === 'no-metrics' ? NO_METRICS : answer;
}

/** A scrape leaves. */
export function scrapeSent(endpoint: PooledEndpoint, now: number): void {
  endpoint.sent = { at: now, inFlight: endpoint.load.requests, ended: endpoint.load.ended };
}

/** The answer to the last scrape that left. Learns the drain when requests were waiting at both ends of the interval. */
export function scrapeAnswered(endpoint: PooledEndpoint, answer: EngineMetrics | 'no-metrics', now: number): void {
  const before = metricsOf(endpoint).waiting;
  const { sent, scraped } = endpoint;
  if (answer !== 'no-metrics' && answer.waiting > 0) {
    const running = Number.isNaN(answer.running) ? 0 : answer.running;
    if (running > 0) endpoint.drain.slots = running;
    if (before > 0) {
      const seconds = (sent.at - scraped.at) / 1000;
      const present = answer.waiting + running;
      observeDrain(endpoint.drain, seconds, sent.ended - scraped.ended, present, sent.inFlight);
    }
  }
  endpoint.answer = answer;
  endpoint.scraped = sent;
  setAnsweredAt(endpoint, now);
}

/** Nothing listens there: its metrics are stale at once, not only when they are old. */
export function scrapeRefused(endpoint: PooledEndpoint): void {
  setAnsweredAt(endpoint, Number.NEGATIVE_INFINITY);
}

/** The time between two scrapes is another one from now on. */
export function scrapePaced(endpoint: PooledEndpoint, intervalMs: number): void {
  endpoint.intervalMs = intervalMs;
  setAnsweredAt(endpoint, endpoint.answeredAt);
}

function setAnsweredAt(endpoint: PooledEndpoint, answeredAt: number): void {
  endpoint.answeredAt = answeredAt;
  endpoint.freshUntil = freshUntil(answeredAt, endpoint.intervalMs);
  endpointChanged(endpoint);
}

/** `never`: not scraped with success yet. `no-metrics`: the server answers, without a metrics page. */
export type MetricsState = 'fresh' | 'stale' | 'no-metrics' | 'never';

export function metricsState(endpoint: PooledEndpoint, now: number): MetricsState {
  if (endpoint.answer === undefined) return 'never';
  if (now > endpoint.freshUntil) return 'stale';
  return endpoint.answer === 'no-metrics' ? 'no-metrics' : 'fresh';
}
