import { candidatesWith, scoresOf } from '../../support/candidates-with';

describe('queue', () => {
  test('the shortest wait has 1, twice as long about half, and a few milliseconds are not felt', () => {
    const [best, twice, close] = scoresOf('queue', candidatesWith({ startMs: [10_000, 20_000, 10_010] }));
    expect(best).toBe(1);
    expect(twice).toBeCloseTo(0.5, 2);
    expect(close).toBeGreaterThan(0.99);
  });

  test('no queue anywhere is best everywhere', () => {
    expect(scoresOf('queue', candidatesWith({ startMs: [0, 0] }))).toEqual([1, 1]);
  });

  test('an endpoint that never starts is worst and does not level the others', () => {
    const [soon, never, later] = scoresOf('queue', candidatesWith({ startMs: [0, Number.POSITIVE_INFINITY, 50] }));
    expect([soon, never, later]).toEqual([1, 0, 0.5]);
  });

  test('an endpoint whose wait is not known is neutral', () => {
    expect(scoresOf('queue', candidatesWith({ startMs: [0, Number.NaN] }))).toEqual([1, 0.5]);
  });
});
