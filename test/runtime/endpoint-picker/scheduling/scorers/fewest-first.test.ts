import { candidatesWith, scoresOf } from '../../support/candidates-with';

describe('queue and runningRequests', () => {
  test.each([
    ['queue', 'queue'],
    ['runningRequests', 'running'],
  ] as const)('%s: fewest gets 1, most 0, the rest by distance', (name, column) => {
    expect(scoresOf(name, candidatesWith({ [column]: [10, 0, 5] }))).toEqual([0, 1, 0.5]);
  });

  test('all equal are all best', () => {
    expect(scoresOf('queue', candidatesWith({ queue: [4, 4] }))).toEqual([1, 1]);
  });

  test('an endpoint that does not tell is neutral', () => {
    expect(scoresOf('queue', candidatesWith({ queue: [0, Number.NaN, 3] }))).toEqual([1, 0.5, 0]);
  });

  test('an infinite value is worst and does not level the others', () => {
    expect(scoresOf('queue', candidatesWith({ queue: [0, Number.POSITIVE_INFINITY, 100] }))).toEqual([1, 0, 0]);
  });
});
