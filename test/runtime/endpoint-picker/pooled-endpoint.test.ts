import { firstTokenCame, requestEnded } from '../../../runtime/endpoint-picker/endpoint-answers';
import {
  scrapeAnswered,
  scrapeFailed,
  scrapePaced,
  scrapeSent,
} from '../../../runtime/endpoint-picker/endpoint-scrapes';
import type { EngineCounters, EngineMetrics } from '../../../runtime/endpoint-picker/engine-metrics';
import { exclusionAt } from '../../../runtime/endpoint-picker/health/endpoint-health';
import { createPoolHealth } from '../../../runtime/endpoint-picker/health/pool-health';
import { enter, type LedgerEntry, release } from '../../../runtime/endpoint-picker/ledger/endpoint-load';
import { promptTokenSeconds, UNKNOWN_POOL_SPEED } from '../../../runtime/endpoint-picker/ledger/learned-speed';
import { doneAt } from '../../../runtime/endpoint-picker/ledger/prefill-backlog';
import { createEndpoint, metricsState, type PooledEndpoint } from '../../../runtime/endpoint-picker/pooled-endpoint';
import { endpointStates, engineCounters, engineMetrics } from './support/fixtures';

function newEndpoint(): PooledEndpoint {
  const [state] = endpointStates(1);
  return createEndpoint(0, state!, {
    speed: UNKNOWN_POOL_SPEED,
    adapterBits: new Map(),
    health: createPoolHealth(),
    exclusionChanged() {},
  });
}

function send(endpoint: PooledEndpoint, promptTokens: number, now: number): LedgerEntry {
  const size = { promptTokens, uncachedTokens: promptTokens, outputTokens: 50, adapter: undefined };
  return enter(endpoint.load, size, promptTokenSeconds(endpoint.speed), now);
}

function scrape(endpoint: PooledEndpoint, answer: EngineMetrics | 'no-metrics', now: number): void {
  scrapeSent(endpoint, now);
  scrapeAnswered(endpoint, answer, now);
}

/** Keeps one request there and scrapes every second, while the engine makes steps of `stepSeconds`. */
function workFor(endpoint: PooledEndpoint, stepSeconds: number, change: (second: number) => Partial<EngineCounters>) {
  send(endpoint, 10, 0);
  for (let second = 0; second <= 20; second++) {
    const steps = Math.round(second / stepSeconds);
    const counters = engineCounters({ steps, generatedTokens: steps, promptTokens: 0, ...change(second) });
    scrape(endpoint, engineMetrics({ running: 1, counters }), second * 1000);
  }
}

describe('the speed', () => {
  const REFERENCE_STEP_SECONDS = 0.02;

  test('is learned from what the engine counted while requests were in flight', () => {
    const endpoint = newEndpoint();
    workFor(endpoint, 0.06, () => ({}));
    expect(endpoint.speed.own.step * REFERENCE_STEP_SECONDS).toBeCloseTo(0.06, 2);
    expect(endpoint.speed.shown).toBe(true);
  });

  test('is not learned from idle time', () => {
    const endpoint = newEndpoint();
    for (let second = 0; second <= 20; second++) {
      const counters = engineCounters({ steps: second * 10, generatedTokens: second * 10, promptTokens: 0 });
      scrape(endpoint, engineMetrics({ counters }), second * 1000);
    }
    expect(endpoint.speed.work).toBe(0);
  });

  test('is not learned from what others sent there, as their time is not known', () => {
    const endpoint = newEndpoint();
    send(endpoint, 10, 0);
    for (let second = 0; second <= 20; second++) {
      const counters = engineCounters({ steps: second * 10, generatedTokens: second * 500, promptTokens: 0 });
      scrape(endpoint, engineMetrics({ running: 50, counters }), second * 1000);
    }
    expect(endpoint.speed.work).toBe(0);
  });

  test('a restart between two scrapes is skipped, and learning goes on after it', () => {
    const endpoint = newEndpoint();
    workFor(endpoint, 0.06, (second) => {
      const steps = Math.round((second < 10 ? second : second - 10) / 0.06);
      return { steps, generatedTokens: steps };
    });
    expect(endpoint.speed.own.step * REFERENCE_STEP_SECONDS).toBeCloseTo(0.06, 2);
    expect(endpoint.speed.work).toBeGreaterThan(15);
    expect(endpoint.speed.work).toBeLessThan(20);
  });

  test('a stretch with much of a prompt under way is put off until the prompt is told', () => {
    const endpoint = newEndpoint();
    const told = (promptTokens: number, steps: number, firstTokenCount: number) =>
      engineMetrics({
        running: 1,
        counters: engineCounters({ promptTokens, steps, firstTokenCount, generatedTokens: firstTokenCount }),
      });
    scrape(endpoint, told(0, 0, 0), 0);
    send(endpoint, 20_000, 0);
    scrape(endpoint, told(0, 20, 0), 2000);
    expect(endpoint.speed.work).toBe(0);
    scrape(endpoint, told(20_000, 40, 1), 4000);
    expect(endpoint.speed.work).toBe(4);
    expect(endpoint.speed.own.prompt).toBeGreaterThan(1);
  });

  test('of an engine that does not count steps is learned from first tokens and ends', () => {
    const endpoint = newEndpoint();
    scrape(endpoint, 'no-metrics', 0);
    let now = 0;
    for (let i = 0; i < 60; i++) {
      const entry = send(endpoint, 8000, now);
      // The reference takes one second.
      now += 4000;
      firstTokenCame(endpoint, entry, now);
      release(entry, true, now);
      requestEnded(endpoint, entry, true, now);
    }
    expect(endpoint.speed.own.prompt).toBeGreaterThan(2);
  });
});

describe('the line of prompts', () => {
  test('a first token shows that what is before it is done', () => {
    const endpoint = newEndpoint();
    const first = send(endpoint, 80_000, 0);
    send(endpoint, 8000, 2000);
    firstTokenCame(endpoint, first, 2010);
    const left = doneAt(endpoint.load.backlog, promptTokenSeconds(endpoint.speed)) - 2010;
    expect(left / 1000).toBeCloseTo(8000 * promptTokenSeconds(endpoint.speed), 1);
  });

  test('a request that ended without an answer is not computed any more', () => {
    const endpoint = newEndpoint();
    const entry = send(endpoint, 80_000, 0);
    release(entry, false, 10);
    requestEnded(endpoint, entry, false, 10);
    expect(doneAt(endpoint.load.backlog, promptTokenSeconds(endpoint.speed))).toBe(10);
  });

  test('a scrape that counts all first tokens shows that nothing waits', () => {
    const endpoint = newEndpoint();
    scrape(endpoint, engineMetrics({ counters: engineCounters({ firstTokenCount: 0 }) }), 0);
    send(endpoint, 80_000, 0);
    scrape(endpoint, engineMetrics({ running: 1, counters: engineCounters({ firstTokenCount: 1 }) }), 1000);
    expect(doneAt(endpoint.load.backlog, promptTokenSeconds(endpoint.speed))).toBe(1000);
  });
});

test.each(['status', 'too-large'] as const)('a scrape that ends as "%s" shows that the server is there', (how) => {
  const endpoint = newEndpoint();
  scrapeSent(endpoint, 0);
  scrapeFailed(endpoint, 'refused', 1);
  expect(exclusionAt(endpoint.health, 1)).toBe('refused');
  scrapeFailed(endpoint, how, 2);
  expect(exclusionAt(endpoint.health, 2)).toBeUndefined();
});

describe('the state of the metrics', () => {
  test('is fresh, stale by age or by refusal, none, or never', () => {
    const endpoint = newEndpoint();
    expect(metricsState(endpoint, 0)).toBe('never');
    scrape(endpoint, engineMetrics(), 0);
    expect([metricsState(endpoint, 2000), metricsState(endpoint, 2001)]).toEqual(['fresh', 'stale']);
    scrapePaced(endpoint, 1000);
    expect(metricsState(endpoint, 2001)).toBe('fresh');
    scrapeFailed(endpoint, 'refused', 10);
    expect(metricsState(endpoint, 10)).toBe('stale');
    scrape(endpoint, 'no-metrics', 20);
    expect(metricsState(endpoint, 30)).toBe('no-metrics');
  });
});
