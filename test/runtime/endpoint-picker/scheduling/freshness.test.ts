import { freshUntil } from '../../../../runtime/endpoint-picker/scheduling/freshness';

describe('freshness', () => {
  test.each([
    [200, 2000],
    [667, 2001],
    [1000, 3000],
  ])('at an interval of %d ms, an answer is fresh for %d ms', (intervalMs, limitMs) => {
    expect(freshUntil(10_000, intervalMs)).toBe(10_000 + limitMs);
  });
});
