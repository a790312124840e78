import fc from 'fast-check';
import { createBackoff } from '../../../runtime/kubernetes/backoff';

test('delays double from the least to the most, and begin anew', () => {
  const backoff = createBackoff(250, 30_000, () => 0);
  const delays = Array.from({ length: 9 }, () => backoff.next());
  expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  backoff.reset();

  expect(backoff.next()).toBe(250);
});

test('no delay is outside the limits', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.array(random, { minLength: 1, maxLength: 20 }), (draws) => {
      const left = [...draws];
      const backoff = createBackoff(250, 30_000, () => left.shift()!);
      for (const _draw of draws) {
        const delay = backoff.next();
        expect(delay).toBeGreaterThanOrEqual(250);
        expect(delay).toBeLessThanOrEqual(30_000);
      }
    }),
  );
});
