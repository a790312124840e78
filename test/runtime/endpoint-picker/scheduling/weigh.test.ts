import fc from 'fast-check';
import { weigh, weightedScorers } from '../../../../runtime/endpoint-picker/scheduling/weigh';
import { type Column, candidatesWith, scoredRequest } from '../support/candidates-with';
import { EVERY_WEIGHT, NO_WEIGHTS } from '../support/fixtures';

describe('weights', () => {
  test('the total is the sum of weight times score', () => {
    const candidates = candidatesWith({ running: [0, 4], kvUsage: [0.5, 0] });
    const totals = new Float64Array(2);
    weigh(weightedScorers({ ...NO_WEIGHTS, runningRequests: 3, kvCache: 2 }, 2), candidates, scoredRequest(), totals);
    expect([...totals]).toEqual([3 * 1 + 2 * 0.5, 3 * 0 + 2 * 1]);
  });

  test('a weight of 0 leaves the scorer out', () => {
    expect(weightedScorers({ ...NO_WEIGHTS, prefix: 3 }, 1).map(({ name }) => name)).toEqual(['prefix']);
  });

  test('every score is within 0..1, whatever the signals are', () => {
    const finite = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constant(0));
    const signal = fc.oneof(finite, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1e300));
    const seconds = fc.double({ min: 1e-9, max: 10, noNaN: true });
    const row = fc.record({
      running: signal,
      kvUsage: fc.oneof(signal, fc.double({ min: -1, max: 2 })),
      startMs: fc.oneof(finite, fc.constant(Number.POSITIVE_INFINITY)),
      tokenSeconds: seconds,
      stepSeconds: seconds,
      sequenceSeconds: seconds,
      adapterSeconds: fc.oneof(fc.constant(0), seconds),
      inFlight: fc.nat(1000),
      matchedBlocks: fc.nat(300),
      lastColdPick: fc.nat(),
      workTokens: fc.nat(),
    });
    const request = fc.record({
      promptTokens: fc.nat(200_000),
      outputTokens: fc.nat(256),
      adapter: fc.option(fc.constant('sql'), { nil: undefined }),
      blocks: fc.nat(256),
      blockTokens: fc.integer({ min: 1, max: 64 }),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 12 }), request, (rows, scored) => {
        const columns = Object.fromEntries(
          Object.keys(rows[0]!).map((name) => [name, rows.map((each) => each[name as keyof (typeof rows)[0]])]),
        ) as Partial<Record<Column, number[]>>;
        // One that can start some time: without any the request is refused before it is weighed.
        columns.startMs![0] = 0;
        const scorers = weightedScorers(EVERY_WEIGHT, rows.length);
        weigh(scorers, candidatesWith(columns), scored, new Float64Array(rows.length));
        for (const { name, scores } of scorers) {
          for (const score of scores) expect([name, score >= 0 && score <= 1]).toEqual([name, true]);
        }
      }),
      { numRuns: 300 },
    );
  });
});
