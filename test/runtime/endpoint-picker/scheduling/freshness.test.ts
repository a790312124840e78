import { isFresh } from '../../../../runtime/endpoint-picker/scheduling/freshness';

describe('freshness', () => {
  test.each([
    [200, 2000, true],
    [200, 2001, false],
    [1000, 3000, true],
    [1000, 3001, false],
  ])('at an interval of %d ms, an answer %d ms old: fresh is %p', (intervalMs, age, fresh) => {
    expect(isFresh(10_000 + age, 10_000, intervalMs)).toBe(fresh);
  });
});
