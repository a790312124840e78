import fc from 'fast-check';
import { logScale } from '../../../../runtime/simulator/report/log-scale';

test('it ends at round numbers around the values', () => {
  expect(logScale([0.03, 0.4])).toMatchObject({ low: 0.02, high: 0.5, ticks: [0.02, 0.05, 0.1, 0.2, 0.5] });
});

test('over many decades only powers of ten are marked', () => {
  expect(logScale([0.03, 250])).toMatchObject({ low: 0.02, high: 500, ticks: [0.1, 1, 10, 100] });
});

test('equal ratios are equal distances', () => {
  const { position } = logScale([0.1, 90]);
  expect(position(10) - position(1)).toBeCloseTo(position(100) - position(10), 12);
});

test('what lies beyond is cut to the ends', () => {
  const { position } = logScale([1, 10]);
  expect([position(-1), position(0), position(1e9)]).toEqual([0, 0, 1]);
});

test('a value just below a power of ten lies within, though its logarithm is rounded up', () => {
  expect(logScale([999_999.9999999999]).low).toBe(500_000);
});

test('all values lie within, with ticks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 20 }),
      (values) => {
        const { low, high, ticks } = logScale(values);
        expect(low).toBeLessThanOrEqual(Math.min(...values));
        expect(high).toBeGreaterThan(Math.max(...values));
        expect(ticks.length).toBeGreaterThan(1);
      },
    ),
  );
});
