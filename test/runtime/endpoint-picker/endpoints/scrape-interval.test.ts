import { stretched } from '../../../../runtime/endpoint-picker/endpoints/scrape-interval';

describe('the interval of scrapes', () => {
  test.each([1, 100, 400])('is the wanted one for %d pods', (pods) => {
    expect(stretched(200, pods)).toBe(200);
  });

  test.each([
    [401, 250],
    [1000, 500],
    [5000, 2500],
  ])('of %d pods is stretched to %d ms', (pods, intervalMs) => {
    expect(stretched(200, pods)).toBe(intervalMs);
  });
});
