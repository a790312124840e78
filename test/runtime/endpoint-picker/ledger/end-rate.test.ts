import { createEndRate, observeEnds } from '../../../../runtime/endpoint-picker/ledger/end-rate';

function rateAfter(...observations: ReadonlyArray<readonly [seconds: number, ended: number]>): number {
  const rate = createEndRate();
  for (const [seconds, ended] of observations) observeEnds(rate, seconds, ended);
  return rate.perSecond;
}

describe('the rate of ends', () => {
  test('is not known before the first observation, and then what it showed', () => {
    expect(rateAfter()).toBeNaN();
    expect(rateAfter([2, 6])).toBe(3);
  });

  test('a new rate has taken over by two thirds after 20 s, however the time is cut', () => {
    const fine = Array.from({ length: 200 }, () => [0.1, 1] as const);
    expect(rateAfter([1, 0], ...fine)).toBeCloseTo(10 * (1 - Math.exp(-1)), 6);
    expect(rateAfter([1, 0], [20, 200])).toBeCloseTo(10 * (1 - Math.exp(-1)), 6);
  });

  test('no time tells nothing', () => {
    expect(rateAfter([2, 6], [0, 5], [-1, 5], [Number.NaN, 5])).toBe(3);
  });
});
