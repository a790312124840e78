import { candidatesWith, scoresOf } from '../../support/candidates-with';

describe('runningRequests', () => {
  test('fewest gets 1, most 0, the rest by distance', () => {
    expect(scoresOf('runningRequests', candidatesWith({ running: [10, 0, 5] }))).toEqual([0, 1, 0.5]);
  });

  test('all equal are all best', () => {
    expect(scoresOf('runningRequests', candidatesWith({ running: [4, 4] }))).toEqual([1, 1]);
  });

  test('an endpoint that does not tell is neutral', () => {
    expect(scoresOf('runningRequests', candidatesWith({ running: [0, Number.NaN, 3] }))).toEqual([1, 0.5, 0]);
  });

  test('an infinite value is worst and does not level the others', () => {
    const running = [0, Number.POSITIVE_INFINITY, 100];
    expect(scoresOf('runningRequests', candidatesWith({ running }))).toEqual([1, 0, 0]);
  });
});
