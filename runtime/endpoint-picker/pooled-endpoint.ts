import type { EndpointState } from '../../lib/translate/gateway-state';
import type { EngineMetrics } from './engine-metrics';
import { createDrain, type Drain, observeDrain } from './ledger/drain';
import { createLoad, type EndpointLoad } from './ledger/endpoint-load';
import { isFresh } from './scheduling/freshness';

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
  /** Clock, milliseconds. */
  answeredAt: number;
  /** The ledger when the last scrape left, and when the last answered one did. */
  sent: Mark;
  scraped: Mark;
  picks: number;
  /** Order of its last pick for a prompt that nobody held; 0: never. */
  lastColdPick: number;
}

interface Mark {
  readonly at: number;
  readonly inFlight: number;
  readonly ended: number;
}

/** Nothing known: what an endpoint without fresh metrics looks like to the scorers. */
export const NO_METRICS: EngineMetrics = {
  waiting: Number.NaN,
  running: Number.NaN,
  kvUsage: Number.NaN,
  adapters: undefined,
};

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
    sent: START,
    scraped: START,
    picks: 0,
    lastColdPick: 0,
  };
}

/** A scrape leaves. */
export function scrapeSent(endpoint: PooledEndpoint, now: number): void {
  endpoint.sent = { at: now, inFlight: endpoint.load.requests, ended: endpoint.load.ended };
}

/** The answer to the last scrape that left. Learns the drain when requests were waiting at both ends of the interval. */
export function scrapeAnswered(endpoint: PooledEndpoint, answer: EngineMetrics | 'no-metrics', now: number): void {
  const before = freshWaiting(endpoint);
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
  endpoint.answeredAt = now;
  endpoint.scraped = sent;
}

/** Nothing listens there: its metrics are stale at once, not only when they are old. */
export function scrapeRefused(endpoint: PooledEndpoint): void {
  endpoint.answeredAt = Number.NEGATIVE_INFINITY;
}

function freshWaiting(endpoint: PooledEndpoint): number {
  const { answer } = endpoint;
  return answer === undefined || answer === 'no-metrics' ? 0 : answer.waiting;
}

/** `never`: not scraped with success yet. `no-metrics`: the server answers, without a metrics page. */
export type MetricsState = 'fresh' | 'stale' | 'no-metrics' | 'never';

export function metricsState(endpoint: PooledEndpoint, now: number, intervalMs: number): MetricsState {
  if (endpoint.answer === undefined) return 'never';
  if (!isFresh(now, endpoint.answeredAt, intervalMs)) return 'stale';
  return endpoint.answer === 'no-metrics' ? 'no-metrics' : 'fresh';
}
