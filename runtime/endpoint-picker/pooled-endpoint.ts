import type { EndpointState } from '../../lib/translate/gateway-state';
import { writeRow } from './endpoint-row';
import { type EngineCounters, type EngineMetrics, NO_METRICS } from './engine-metrics';
import { busyMs } from './ledger/busy-time';
import { createDrain, type Drain, observeDrain } from './ledger/drain';
import { createEndRate, type EndRate, observeEnds } from './ledger/end-rate';
import { createLoad, type EndpointLoad, type LedgerEntry } from './ledger/endpoint-load';
import { createLearnedSpeed, type LearnedSpeed, learnWork, promptTokenSeconds, type SpeedMultiples } from './ledger/learned-speed';
import { countPending, createPendingCount, type PendingCount } from './ledger/pending-count';
import { ended, firstTokenSeen } from './ledger/prefill-backlog';
import { correctBacklog } from './ledger/waiting-line';
import { workBetween } from './ledger/work-between';
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
  /** As of the endpoint's state: an endpoint with other ports is another one. */
  readonly kvEventsPort: number | undefined;
  readonly kvReplayPort: number | undefined;
  ready: boolean;
  readonly load: EndpointLoad;
  readonly drain: Drain;
  readonly ends: EndRate;
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
    kvEventsPort: state.kvEventsPort,
    kvReplayPort: state.kvReplayPort,
    ready: state.ready,
    load: createLoad(),
    drain: createDrain(),
    ends: createEndRate(),
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

/** To be called when anything of the endpoint has changed that a decision reads: its ledger, metrics, readiness. */
export function endpointChanged(endpoint: PooledEndpoint): void {
  const { row, freshUntil } = endpoint;
  if (row !== undefined) writeRow(row.rows, row.at, endpoint, metricsOf(endpoint), freshUntil);
}

/** What the engine told last, stale or not. */
export function metricsOf({ answer }: PooledEndpoint): EngineMetrics {
  return answer === undefined || answer === 'no-metrics' ? NO_METRICS : answer;
}

/** A scrape leaves. */
export function scrapeSent(endpoint: PooledEndpoint, now: number): void {
  const { load } = endpoint;
  endpoint.sent = {
    at: now,
    inFlight: load.requests,
    ended: load.ended,
    sent: load.sent,
    line: load.backlog.sent,
    tokens: load.uncachedTokens + load.outputTokens,
    busyMs: busyMs(load.busy, now),
    starts: load.busy.starts,
  };
}

/**
 * The answer to the last scrape that left. Learns the endpoint's speed from what its engine did since the answer before,
 * the drain when requests were waiting at both ends of that time, and how far the engine has come with its prompts.
 */
export function scrapeAnswered(endpoint: PooledEndpoint, answer: EngineMetrics | 'no-metrics', now: number): void {
  if (answer !== 'no-metrics') {
    learnFromScrape(endpoint, answer, now);
    endpoint.scraped = endpoint.sent;
  }
  endpoint.answer = answer;
  setAnsweredAt(endpoint, now);
}

function learnFromScrape(endpoint: PooledEndpoint, answer: EngineMetrics, now: number): void {
  const former = metricsOf(endpoint);
  const { sent, scraped, load } = endpoint;
  const { waiting, counters } = answer;
  const running = Number.isNaN(answer.running) ? 0 : answer.running;
  const present = waiting + running;
  const seconds = (sent.at - scraped.at) / 1000;
  const ended = sent.ended - scraped.ended;
  if (waiting > 0 && former.waiting > 0) {
    const firstTokens = counters.firstTokenCount - former.counters.firstTokenCount;
    // The engine's count holds the requests of others, too.
    if (firstTokens >= 0) observeDrain(endpoint.drain, seconds, firstTokens, present, present);
    else observeDrain(endpoint.drain, seconds, ended, present, sent.inFlight);
  }
  // Where nothing is in flight nothing ends, however fast the endpoint is.
  observeEnds(endpoint.ends, (sent.busyMs - scraped.busyMs) / 1000, ended);
  const sighting = {
    firstTokens: counters.firstTokenCount,
    waiting,
    running: answer.running,
    inFlight: sent.inFlight,
    sent: sent.sent,
  };
  const pending = countPending(endpoint.pending, sighting);
  const untold = Number.isNaN(pending)
    ? 0
    : correctBacklog(load, pending, sent, promptTokenSeconds(endpoint.speed), now);
  learnFromCounters(endpoint, counters, present, untold, now);
}

/**
 * The tokens of a prompt are told when all of it is computed. A stretch of work is learned from when what was under way
 * at its ends is no more than this part of its prompts, and given up when that takes too long. Milliseconds.
 */
const UNTOLD_PART = 0.1;
const LONGEST_STRETCH_MS = 120_000;

/** Steps are counted when they end: a stretch of few would be wrong by one. */
const LEAST_STEPS = 16;

function learnFromCounters(
  endpoint: PooledEndpoint,
  counters: EngineCounters,
  present: number,
  untold: number,
  now: number,
): void {
  const { sent, stretch, speed } = endpoint;
  const next = { counters, mark: sent, untold };
  // Fewer steps than before: the engine has restarted.
  if (stretch === undefined || counters.steps < stretch.counters.steps) {
    endpoint.stretch = next;
    return;
  }
  const told = counters.promptTokens - stretch.counters.promptTokens;
  if (counters.steps - stretch.counters.steps < LEAST_STEPS && sent.busyMs > stretch.mark.busyMs) return;
  const isTold = !(stretch.untold + untold > UNTOLD_PART * told);
  if (!isTold && sent.at - stretch.mark.at < LONGEST_STRETCH_MS) return;
  endpoint.stretch = next;
  if (!isTold) return;
  const { mark } = stretch;
  const seconds = (sent.busyMs - mark.busyMs) / 1000;
  const work = workBetween(stretch.counters, counters, seconds, sent.starts - mark.starts);
  // What others send there is in the engine's counters, but not in the ledger's busy time.
  if (work === undefined || present > 1.5 * Math.max(sent.inFlight, mark.inFlight) + 1) return;
  learnWork(speed, work, now);
}

/** A step that is under way and the front end's order blur what was ahead of a first token. */
const FIRST_TOKEN_CERTAINTY = 0.3;

/** An end does not tell how long the answer was, and those of answers differ by about their mean. */
const END_CERTAINTY = 0.1;

/** The first token of a request that is in flight there was seen. */
export function firstTokenCame(endpoint: PooledEndpoint, entry: LedgerEntry, now: number): void {
  firstTokenSeen(endpoint.load.backlog, entry.place, promptTokenSeconds(endpoint.speed), now);
  if (!tellsSteps(endpoint)) {
    const seconds = (now - entry.sentAt) / 1000;
    const generatedTokens = endpoint.load.requests;
    const promptTokens = entry.tokensAhead;
    const certainty = FIRST_TOKEN_CERTAINTY;
    learnWork(endpoint.speed, { seconds, steps: 1, generatedTokens, promptTokens, starts: 1, certainty }, now);
  }
  endpointChanged(endpoint);
}

/** A request that was in flight there has ended; `answered`: with success, as far as is known. */
export function requestEnded(endpoint: PooledEndpoint, entry: LedgerEntry, answered: boolean, now: number): void {
  const { backlog } = endpoint.load;
  const tokenSeconds = promptTokenSeconds(endpoint.speed);
  if (answered) {
    ended(backlog, entry.place, tokenSeconds, now);
    if (!tellsSteps(endpoint)) {
      const steps = entry.outputTokens;
      const work = {
        seconds: (now - entry.sentAt) / 1000,
        steps,
        generatedTokens: steps * (endpoint.load.requests + 1),
        promptTokens: entry.tokensAhead,
        starts: 1,
        certainty: END_CERTAINTY,
      };
      learnWork(endpoint.speed, work, now);
    }
  } else {
    // Its prompt is not computed any more.
    ended(backlog, Math.min(backlog.sent, backlog.done + entry.uncachedTokens), tokenSeconds, now);
  }
  endpointChanged(endpoint);
}

/** The engine's own counters tell what it did; else first tokens and ends must. */
function tellsSteps(endpoint: PooledEndpoint): boolean {
  return !Number.isNaN(metricsOf(endpoint).counters.steps);
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
