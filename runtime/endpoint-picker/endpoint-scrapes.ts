import type { EngineCounters, EngineMetrics } from './engine-metrics';
import { admit, scrapeFailed as scrapeFailedThere, scrapeTold } from './health/evidence';
import { busyMs } from './ledger/busy-time';
import { observeDrain } from './ledger/drain';
import { observeEnds } from './ledger/end-rate';
import { observeBatch } from './ledger/full-batch';
import { learnWork, promptTokenSeconds } from './ledger/learned-speed';
import { countPending } from './ledger/pending-count';
import { correctBacklog } from './ledger/waiting-line';
import { workBetween } from './ledger/work-between';
import type { ScrapeOutcome } from './observe';
import { endpointChanged, metricsOf, type PooledEndpoint } from './pooled-endpoint';
import { freshUntil } from './scheduling/freshness';

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
  const wasExcluded = endpoint.health.exclusion !== undefined;
  scrapeTold(endpoint, now);
  admitAfterSilence(endpoint, wasExcluded, now);
  endpoint.answer = answer;
  setAnsweredAt(endpoint, now);
}

/** While it was stale, and until its first answer, others were preferred: its share grows only now. */
function admitAfterSilence(endpoint: PooledEndpoint, wasExcluded: boolean, now: number): void {
  const { answer, freshUntil: staleSince, health } = endpoint;
  if (answer === undefined) {
    if (health.newcomer) admit(endpoint, Number.POSITIVE_INFINITY, now);
    return;
  }
  // The end of an exclusion has begun a ramp that knows for how long it was away.
  if (!wasExcluded && Number.isFinite(staleSince) && now > staleSince) admit(endpoint, now - staleSince, now);
}

/** The last scrape that left brought no page. Where nothing listens the metrics are stale at once, not only when they are old. */
export function scrapeFailed(
  endpoint: PooledEndpoint,
  how: Exclude<ScrapeOutcome, 'ok' | 'no-metrics'>,
  now: number,
): void {
  if (how === 'status' || how === 'too-large') scrapeTold(endpoint, now);
  else scrapeFailedThere(endpoint, how, endpoint.sent.at, now);
  if (how === 'refused') setAnsweredAt(endpoint, Number.NEGATIVE_INFINITY);
  else endpointChanged(endpoint);
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

function learnFromScrape(endpoint: PooledEndpoint, answer: EngineMetrics, now: number): void {
  const former = metricsOf(endpoint);
  const { sent, scraped, load } = endpoint;
  const { waiting, counters } = answer;
  const running = Number.isNaN(answer.running) ? 0 : answer.running;
  const present = waiting + running;
  observeBatch(endpoint.batch, waiting, answer.running);
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
