import { type Column, candidatesWith, scoresOf } from '../../support/candidates-with';

const REQUEST = { promptTokens: 4000, outputTokens: 200, blocks: 62, blockTokens: 64 };

/** Two pods that differ in one column only. */
function pair(column: Column, values: readonly [number, number], more: Partial<Record<Column, number[]>> = {}) {
  return candidatesWith({
    tokenSeconds: [1e-4, 1e-4],
    stepSeconds: [0.02, 0.02],
    sequenceSeconds: [1e-4, 1e-4],
    ...more,
    [column]: values,
  });
}

describe('predictedLatency', () => {
  test.each<[string, Column, readonly [number, number]]>([
    ['prompts ahead', 'startMs', [0, 2000]],
    ['a slower prefill', 'tokenSeconds', [1e-4, 4e-4]],
    ['slower steps', 'stepSeconds', [0.01, 0.1]],
    ['steps that grow more with the batch', 'sequenceSeconds', [1e-4, 5e-2]],
    ['an adapter to load', 'adapterSeconds', [0, 1]],
  ])('%s make an endpoint worse', (_, column, values) => {
    const [best, worse] = scoresOf('predictedLatency', pair(column, values), REQUEST);
    expect(best).toBe(1);
    expect(worse).toBeLessThan(0.7);
  });

  test('each request in flight slows its answer, where sequences cost steps', () => {
    const sequenceSeconds = [1e-3, 1e-3];
    const [best, worse] = scoresOf('predictedLatency', pair('inFlight', [0, 50], { sequenceSeconds }), REQUEST);
    expect(best).toBe(1);
    expect(worse).toBeLessThan(0.7);
  });

  test('cached blocks save their prefill', () => {
    const [all, none] = scoresOf('predictedLatency', pair('matchedBlocks', [62, 0]), REQUEST);
    expect(all).toBe(1);
    expect(none).toBeLessThan(0.5);
  });

  test('twice the time is about half the score, and a few milliseconds are not felt', () => {
    const startMs = [10_000, 20_000, 10_010];
    const scores = scoresOf('predictedLatency', candidatesWith({ startMs }));
    expect(scores[1]).toBeCloseTo(0.5, 2);
    expect(scores[2]).toBeGreaterThan(0.99);
  });

  test('an endpoint that never starts is worst and does not level the others', () => {
    const startMs = [0, Number.POSITIVE_INFINITY, 1000];
    const [soon, never, later] = scoresOf('predictedLatency', candidatesWith({ startMs }));
    expect([soon, never]).toEqual([1, 0]);
    expect(later).toBeGreaterThan(0);
  });
});
