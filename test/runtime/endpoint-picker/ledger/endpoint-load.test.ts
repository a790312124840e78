import fc from 'fast-check';
import {
  createLoad,
  type EndpointLoad,
  enter,
  type LedgerEntry,
  move,
  release,
} from '../../../../runtime/endpoint-picker/ledger/endpoint-load';

const EMPTY = { requests: 0, uncachedTokens: 0, outputTokens: 0 };

function inFlight({ requests, uncachedTokens, outputTokens }: EndpointLoad) {
  return { requests, uncachedTokens, outputTokens };
}

describe('the in-flight ledger', () => {
  test('counts requests, tokens and adapters where they are, and follows a move', () => {
    const picked = createLoad();
    const serving = createLoad();
    const entry = enter(picked, { uncachedTokens: 100, outputTokens: 20, adapter: 'sql' });
    expect(inFlight(picked)).toEqual({ requests: 1, uncachedTokens: 100, outputTokens: 20 });

    move(entry, serving);
    expect(inFlight(picked)).toEqual(EMPTY);
    expect(picked.adapters.size).toBe(0);
    expect(serving.adapters.get('sql')).toBe(1);

    release(entry);
    expect(inFlight(serving)).toEqual(EMPTY);
    expect([picked.ended, serving.ended]).toEqual([0, 1]);
  });

  test('remembers the adapters that came last, in their order, and not without end', () => {
    const load = createLoad();
    for (const adapter of ['a', 'b', 'a']) release(enter(load, { uncachedTokens: 1, outputTokens: 1, adapter }));
    expect([...load.recentAdapters]).toEqual(['b', 'a']);
    for (let i = 0; i < 100; i++) release(enter(load, { uncachedTokens: 1, outputTokens: 1, adapter: `a${i}` }));
    expect(load.recentAdapters.size).toBe(64);
    expect(load.recentAdapters.has('a99')).toBe(true);
  });

  test('a request that an unknown address serves is in no load, and its end changes nothing', () => {
    const load = createLoad();
    const entry = enter(load, { uncachedTokens: 10, outputTokens: 1 });
    move(entry, undefined);
    release(entry);
    expect(inFlight(load)).toEqual(EMPTY);
    expect(load.ended).toBe(0);
  });

  test('never goes below zero and is empty when all is released, in any order of events', () => {
    const event = fc.record({
      kind: fc.constantFrom('enter', 'move', 'vanish', 'release', 'flap'),
      which: fc.nat(30),
      endpoint: fc.nat(2),
      tokens: fc.double({ min: 0, max: 1e6, noNaN: true }),
      adapter: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        const current = [createLoad(), createLoad(), createLoad()];
        const every = [...current];
        const entries: LedgerEntry[] = [];
        for (const { kind, which, endpoint, tokens, adapter } of events) {
          const entry = entries[which % Math.max(1, entries.length)];
          if (kind === 'enter') {
            entries.push(enter(current[endpoint]!, { uncachedTokens: tokens, outputTokens: tokens / 3, adapter }));
          } else if (kind === 'flap') {
            current[endpoint] = createLoad();
            every.push(current[endpoint]!);
          } else if (entry !== undefined && kind === 'release') release(entry);
          else if (entry !== undefined) move(entry, kind === 'vanish' ? undefined : current[endpoint]);
          for (const load of every) {
            expect(Math.min(load.requests, load.uncachedTokens, load.outputTokens)).toBeGreaterThanOrEqual(0);
          }
        }
        for (const entry of entries) release(entry);
        for (const load of every) {
          expect(inFlight(load)).toEqual(EMPTY);
          expect(load.adapters.size).toBe(0);
        }
      }),
      { numRuns: 200 },
    );
  });
});
