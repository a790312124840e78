import fc from 'fast-check';
import {
  createLoad,
  type EndpointLoad,
  enter,
  type LedgerEntry,
  move,
  type RequestSize,
  release,
  workTokens,
} from '../../../../runtime/endpoint-picker/ledger/endpoint-load';
import { firstTokenSeen } from '../../../../runtime/endpoint-picker/ledger/prefill-backlog';
import { correctBacklog } from '../../../../runtime/endpoint-picker/ledger/waiting-line';

/** Seconds: a thousand tokens a second. */
const TOKEN_SECONDS = 0.001;
const EMPTY = { requests: 0, uncachedTokens: 0, outputTokens: 0 };

function inFlight({ requests, uncachedTokens, outputTokens }: EndpointLoad) {
  return { requests, uncachedTokens, outputTokens };
}

function enterAt(load: EndpointLoad, change: Partial<RequestSize> = {}, now = 0): LedgerEntry {
  const size = { promptTokens: 100, uncachedTokens: 100, outputTokens: 20, adapter: undefined, ...change };
  return enter(load, size, TOKEN_SECONDS, now);
}

/** Everyone in line, the first first. */
function lineOf(load: EndpointLoad): LedgerEntry[] {
  const line: LedgerEntry[] = [];
  for (let entry = load.newest; entry !== undefined; entry = entry.older) line.unshift(entry);
  return line;
}

describe('the in-flight ledger', () => {
  test('counts requests, tokens and adapters where they are, and follows a move', () => {
    const [picked, serving] = [createLoad(), createLoad()];
    const entry = enterAt(picked, { adapter: 'sql' });
    expect(inFlight(picked)).toEqual({ requests: 1, uncachedTokens: 100, outputTokens: 20 });

    move(entry, serving, TOKEN_SECONDS, 10);
    expect(inFlight(picked)).toEqual(EMPTY);
    expect(picked.adapters.size).toBe(0);
    expect(serving.adapters.get('sql')).toBe(1);

    release(entry, true, 20);
    expect(inFlight(serving)).toEqual(EMPTY);
    expect([picked.ended, serving.ended]).toEqual([0, 1]);
  });

  test('counts as sent what was answered or is in flight, not what moved away or was given up', () => {
    const load = createLoad();
    const [answered, givenUp, moved] = [enterAt(load), enterAt(load), enterAt(load)];
    enterAt(load);
    expect(load.sent).toBe(4);
    release(answered, true, 1);
    release(givenUp, false, 1);
    move(moved, createLoad(), TOKEN_SECONDS, 1);
    expect(load.sent).toBe(2);
  });

  test('remembers when each adapter came last, the latest last, and not without end', () => {
    const load = createLoad();
    ['a', 'b', 'a'].forEach((adapter, now) => {
      release(enterAt(load, { adapter }, now), true, now);
    });
    expect([...load.recentAdapters]).toEqual([
      ['b', 1],
      ['a', 2],
    ]);
    for (let i = 0; i < 100; i++) release(enterAt(load, { adapter: `a${i}` }, i), true, i);
    expect(load.recentAdapters.size).toBe(64);
    expect(load.recentAdapters.has('a99')).toBe(true);
  });

  test('a request that an unknown address serves is in no load, and its end changes nothing', () => {
    const load = createLoad();
    const entry = enterAt(load);
    move(entry, undefined, 0, 1);
    release(entry, true, 2);
    expect(inFlight(load)).toEqual(EMPTY);
    expect(load.ended).toBe(0);
  });

  test('is busy from the first request to the end of the last', () => {
    const load = createLoad();
    const entries = [enterAt(load, {}, 100), enterAt(load, {}, 200)];
    release(entries[0]!, true, 500);
    release(entries[1]!, true, 900);
    expect(load.busy.total).toBe(800);
    expect(load.busy.starts).toBe(1);
  });

  test('the work ahead is the answers, and a part of the prompts', () => {
    const load = createLoad();
    enterAt(load, { uncachedTokens: 800, outputTokens: 50 });
    expect(workTokens(load)).toBe(150);
  });
});

describe('the line of prompts', () => {
  test('is in the order in which requests were sent', () => {
    const load = createLoad();
    const entries = [0, 10, 20].map((now) => enterAt(load, {}, now));
    expect(lineOf(load)).toEqual(entries);
    expect(entries.map(({ place }) => place)).toEqual([100, 200, 300]);
  });

  test('of two sent together the shorter prompt is first: the front end reads it sooner', () => {
    const load = createLoad();
    const long = enterAt(load, { promptTokens: 8000, uncachedTokens: 8000 }, 0);
    const short = enterAt(load, { promptTokens: 100, uncachedTokens: 100 }, 1);
    expect(lineOf(load)).toEqual([short, long]);
    expect([short.place, long.place]).toEqual([100, 8100]);
    const late = enterAt(load, {}, 1000);
    expect(lineOf(load)).toEqual([short, long, late]);
  });

  test('a request knows how much was ahead of it when it was sent', () => {
    const load = createLoad();
    enterAt(load, { uncachedTokens: 1000 }, 0);
    expect(enterAt(load, { uncachedTokens: 500 }, 400).tokensAhead).toBe(1100);
  });

  test('whoever leaves it leaves no hole', () => {
    const load = createLoad();
    const [first, middle, last] = [0, 10, 20].map((now) => enterAt(load, {}, now));
    release(middle!, true, 30);
    expect(lineOf(load)).toEqual([first, last]);
    release(last!, true, 30);
    expect(lineOf(load)).toEqual([first]);
    release(first!, true, 30);
    expect(load.newest).toBeUndefined();
  });
});

describe('in any order of events', () => {
  const event = fc.record({
    kind: fc.constantFrom('enter', 'enter', 'move', 'vanish', 'release', 'flap', 'firstToken', 'scrape'),
    which: fc.nat(30),
    endpoint: fc.nat(2),
    tokens: fc.double({ min: 0, max: 1e6, noNaN: true }),
    adapter: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    answered: fc.boolean(),
    ms: fc.nat(2000),
  });

  function check(load: EndpointLoad): void {
    expect(Math.min(load.requests, load.uncachedTokens, load.outputTokens, load.sent)).toBeGreaterThanOrEqual(0);
    const line = lineOf(load);
    // What is kept of an endpoint grows with its requests in flight only.
    expect(line).toHaveLength(load.requests);
    expect(load.adapters.size).toBeLessThanOrEqual(load.requests);
    line.forEach((entry, i) => {
      expect(entry.load).toBe(load);
      expect(entry.newer).toBe(line[i + 1]);
      if (i > 0) {
        expect(entry.place).toBeGreaterThanOrEqual(line[i - 1]!.place);
        expect(entry.readyAt).toBeGreaterThanOrEqual(line[i - 1]!.readyAt);
      }
    });
    const { done, sent } = load.backlog;
    expect(done >= 0 && done <= sent).toBe(true);
    expect(line.every(({ place }) => place >= 0 && place <= sent)).toBe(true);
  }

  test('no count goes below zero, the line stays in order, and all is empty at the end', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        const current = [createLoad(), createLoad(), createLoad()];
        const every = [...current];
        const entries: LedgerEntry[] = [];
        let now = 0;
        for (const { kind, which, endpoint, tokens, adapter, answered, ms } of events) {
          now += ms;
          const entry = entries[which % Math.max(1, entries.length)];
          const load = current[endpoint]!;
          const size = { promptTokens: tokens, uncachedTokens: tokens / 2, outputTokens: tokens / 3, adapter };
          if (kind === 'enter') entries.push(enter(load, size, TOKEN_SECONDS, now));
          else if (kind === 'flap') {
            current[endpoint] = createLoad();
            every.push(current[endpoint]!);
          } else if (kind === 'scrape') {
            const mark = { at: now - (ms >> 1), line: load.backlog.sent };
            correctBacklog(load, which % (load.requests + 1), mark, TOKEN_SECONDS, now);
          } else if (entry === undefined) continue;
          else if (kind === 'firstToken') {
            if (entry.load !== undefined) firstTokenSeen(entry.load.backlog, entry.place, TOKEN_SECONDS, now);
          } else if (kind === 'release') release(entry, answered, now);
          else move(entry, kind === 'vanish' ? undefined : load, TOKEN_SECONDS, now);
          for (const each of every) check(each);
        }
        for (const entry of entries) release(entry, true, now);
        for (const load of every) {
          expect(inFlight(load)).toEqual(EMPTY);
          expect(load.newest).toBeUndefined();
          expect(load.adapters.size).toBe(0);
          expect(load.busy.since).toBeNaN();
        }
      }),
      { numRuns: 200 },
    );
  });
});
