import { overloadMs, retryAfterSeconds } from '../../../../runtime/endpoint-picker/admission/saturation';

const OVERLOAD = { maxQueueTimeMs: 30_000, retryAfterMinSeconds: 2, retryAfterMaxSeconds: 60 };

describe('saturation', () => {
  test('one endpoint that can start the request in time is enough', () => {
    expect(overloadMs(Float64Array.of(90_000, 30_000), 2, 30_000)).toBe(0);
  });

  test('an endpoint whose drain was not measured can start it', () => {
    expect(overloadMs(Float64Array.of(90_000, Number.NaN), 2, 30_000)).toBe(0);
  });

  test('when none can, the excess is that of the soonest', () => {
    expect(overloadMs(Float64Array.of(90_000, 42_000, Number.POSITIVE_INFINITY), 3, 30_000)).toBe(12_000);
  });

  test('rows beyond the candidates do not count', () => {
    expect(overloadMs(Float64Array.of(90_000, 0), 1, 30_000)).toBe(60_000);
  });
});

describe('Retry-After', () => {
  test.each([
    [12_300, 13],
    [100, 2],
    [600_000, 60],
    [Number.POSITIVE_INFINITY, 60],
  ])('an excess of %d ms gives %d s', (excess, seconds) => {
    expect(retryAfterSeconds(excess, OVERLOAD)).toBe(seconds);
  });
});
