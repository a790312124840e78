import fc from 'fast-check';
import { type Candidates, createCandidates } from '../../../../../runtime/endpoint-picker/scheduling/candidates';
import { weigh, weightedScorers } from '../../../../../runtime/endpoint-picker/scheduling/weigh';
import { DEFAULT_WEIGHTS } from '../../support/fixtures';

type Name = keyof typeof DEFAULT_WEIGHTS;
type Column = {
  [K in keyof Candidates]: Candidates[K] extends Float64Array ? K : never;
}[keyof Candidates];

const OFF = { queue: 0, kvCache: 0, prefix: 0, lru: 0, loraAffinity: 0, runningRequests: 0, predictedLatency: 0 };

function candidatesWith(columns: Partial<Record<Column, number[]>>, count: number): Candidates {
  const candidates = createCandidates(count);
  candidates.count = count;
  for (let row = 0; row < count; row++) {
    candidates.adapters[row] = undefined;
    candidates.adaptersInFlight[row] = new Map();
    candidates.recentAdapters[row] = new Set();
  }
  for (const [name, values] of Object.entries(columns)) candidates[name as Column].set(values);
  return candidates;
}

function scoresOf(name: Name, candidates: Candidates, request = { blocks: 0, blockTokens: 0 } as object): number[] {
  const totals = new Float64Array(candidates.capacity);
  const scorers = weightedScorers({ ...OFF, [name]: 1 }, candidates.capacity);
  weigh(scorers, candidates, { blocks: 0, blockTokens: 64, ...request }, totals);
  return [...totals];
}

function residency(running: string[], waiting: string[], slots: number) {
  return {
    running: new Set(running),
    waiting: new Set(waiting),
    distinct: new Set([...running, ...waiting]).size,
    slots,
  };
}

describe('queue, runningRequests and predictedLatency', () => {
  test.each([
    ['queue', 'queue'],
    ['runningRequests', 'running'],
    ['predictedLatency', 'startMs'],
  ] as const)('%s: fewest gets 1, most 0, the rest by distance', (name, column) => {
    expect(scoresOf(name, candidatesWith({ [column]: [10, 0, 5] }, 3))).toEqual([0, 1, 0.5]);
  });

  test('all equal are all best', () => {
    expect(scoresOf('queue', candidatesWith({ queue: [4, 4] }, 2))).toEqual([1, 1]);
  });

  test('an endpoint that does not tell is neutral', () => {
    expect(scoresOf('queue', candidatesWith({ queue: [0, Number.NaN, 3] }, 3))).toEqual([1, 0.5, 0]);
  });

  test('an endpoint that never drains is worst and does not level the others', () => {
    const startMs = [0, Number.POSITIVE_INFINITY, 100];
    expect(scoresOf('predictedLatency', candidatesWith({ startMs }, 3))).toEqual([1, 0, 0]);
  });
});

describe('kvCache', () => {
  test('is the free share, and neutral where the engine does not tell', () => {
    expect(scoresOf('kvCache', candidatesWith({ kvUsage: [0.25, 1, Number.NaN] }, 3))).toEqual([0.75, 0, 0.5]);
  });
});

describe('prefix', () => {
  const request = { blocks: 100, blockTokens: 64 };

  test('grows with the match and is 0 without one', () => {
    const [none, half, whole] = scoresOf('prefix', candidatesWith({ matchedBlocks: [0, 50, 100] }, 3), request);
    expect(none).toBe(0);
    expect(half).toBeGreaterThan(0.5);
    expect(whole).toBeGreaterThan(half!);
  });

  test('a short prompt that matches whole is worth little', () => {
    const short = scoresOf('prefix', candidatesWith({ matchedBlocks: [1] }, 1), { blocks: 1, blockTokens: 64 });
    expect(short[0]).toBeLessThan(0.2);
  });

  test('counts for nothing where the work ahead costs more than the cache saves', () => {
    const busy = candidatesWith({ matchedBlocks: [100, 0], workTokens: [9000, 1000] }, 2);
    expect(scoresOf('prefix', busy, request)).toEqual([0, 0]);
  });
});

describe('loraAffinity', () => {
  const request = { adapter: 'sql' };

  test('active 1, free slot 0.8, waiting 0.6, no room 0, not told neutral', () => {
    const candidates = candidatesWith({}, 5);
    candidates.adapters[0] = residency(['sql', 'b'], [], 2);
    candidates.adapters[1] = residency(['b'], [], 2);
    candidates.adapters[2] = residency(['b'], ['sql'], 2);
    candidates.adapters[3] = residency(['b', 'c'], [], 2);
    expect(scoresOf('loraAffinity', candidates, request)).toEqual([1, 0.8, 0.6, 0, 0.5]);
  });

  test('an adapter that is both running and waiting takes one slot', () => {
    const candidates = candidatesWith({}, 1);
    candidates.adapters[0] = residency(['b'], ['b'], 2);
    expect(scoresOf('loraAffinity', candidates, request)).toEqual([0.8]);
  });

  test('adapters dispatched since the scrape are there already, and take their slots', () => {
    const candidates = candidatesWith({}, 2);
    candidates.adapters[0] = residency([], [], 1);
    candidates.adaptersInFlight[0] = new Map([['sql', 1]]);
    candidates.adapters[1] = residency([], [], 1);
    candidates.adaptersInFlight[1] = new Map([['other', 1]]);
    expect(scoresOf('loraAffinity', candidates, request)).toEqual([1, 0]);
  });

  test('an adapter that has nothing to do is loaded still, as long as later ones have not taken its slot', () => {
    const candidates = candidatesWith({}, 5);
    for (const row of [0, 1, 2]) candidates.adapters[row] = residency([], [], 2);
    candidates.recentAdapters[0] = new Set(['a', 'sql', 'b']);
    candidates.recentAdapters[1] = new Set(['sql', 'a', 'b']);
    candidates.adapters[2] = residency(['a', 'b'], [], 2);
    candidates.recentAdapters[2] = new Set(['sql', 'b']);
    candidates.recentAdapters[3] = new Set(['a', 'sql']);
    candidates.recentAdapters[4] = new Set(['sql', 'a']);
    expect(scoresOf('loraAffinity', candidates, request)).toEqual([1, 0.8, 0, 1, 0.5]);
  });

  test('a request for the base model is neutral everywhere', () => {
    const candidates = candidatesWith({}, 2);
    candidates.adapters[0] = residency(['a'], [], 1);
    candidates.adapters[1] = residency([], [], 1);
    expect(scoresOf('loraAffinity', candidates)).toEqual([0.5, 0.5]);
  });
});

describe('lru', () => {
  test('for a prompt that nobody holds, the endpoint that got one longest ago is best', () => {
    expect(scoresOf('lru', candidatesWith({ lastColdPick: [900, 0, 7] }, 3))).toEqual([0, 1, 0.5]);
  });

  test('a prompt that somebody holds is neutral', () => {
    const candidates = candidatesWith({ lastColdPick: [9, 0], matchedBlocks: [2, 0] }, 2);
    expect(scoresOf('lru', candidates, { blocks: 4, blockTokens: 64 })).toEqual([0.5, 0.5]);
  });
});

describe('weights', () => {
  test('the total is the sum of weight times score, by the weights of the contract', () => {
    const candidates = candidatesWith({ queue: [0, 4], kvUsage: [0.5, 0] }, 2);
    const totals = new Float64Array(2);
    weigh(weightedScorers(DEFAULT_WEIGHTS, 2), candidates, { blocks: 0, blockTokens: 0 }, totals);
    expect([...totals]).toEqual([2 * 1 + 2 * 0.5, 2 * 0 + 2 * 1]);
  });

  test('a weight of 0 leaves the scorer out', () => {
    expect(weightedScorers({ ...OFF, prefix: 3 }, 1).map(({ name }) => name)).toEqual(['prefix']);
  });

  test('every score is within 0..1, whatever the signals are', () => {
    const signal = fc.oneof(
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY, 1e300),
    );
    const row = fc.record({
      queue: signal,
      running: signal,
      startMs: signal,
      kvUsage: fc.oneof(signal, fc.double({ min: -1, max: 2 })),
      matchedBlocks: fc.nat(300),
      lastColdPick: fc.nat(),
      workTokens: fc.nat(),
      slots: fc.nat(3),
      adapters: fc.option(fc.subarray(['sql', 'b', 'c']), { nil: undefined }),
    });
    const every = { queue: 1, kvCache: 1, prefix: 1, lru: 1, loraAffinity: 1, runningRequests: 1, predictedLatency: 1 };
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 12 }),
        fc.record({
          adapter: fc.option(fc.constant('sql'), { nil: undefined }),
          blocks: fc.nat(256),
          blockTokens: fc.integer({ min: 1, max: 64 }),
        }),
        (rows, request) => {
          const candidates = candidatesWith({}, rows.length);
          rows.forEach(({ slots, adapters, ...columns }, i) => {
            for (const [name, value] of Object.entries(columns)) candidates[name as Column][i] = value;
            candidates.adapters[i] = adapters && residency(adapters, ['b'], slots);
          });
          const scorers = weightedScorers(every, rows.length);
          weigh(scorers, candidates, request, new Float64Array(rows.length));
          for (const { scores } of scorers) {
            for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
