import fc from 'fast-check';
import { quantile } from '../../../../runtime/simulator/report/quantile';

const values = fc
  .array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 })
  .map((list) => list.sort((a, b) => a - b));
const share = fc.double({ min: 0, max: 1, noNaN: true });

test('it interpolates between ranks, as numpy does by default', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
  expect(quantile([10, 20, 30, 40, 50], 0.95)).toBeCloseTo(48, 12);
  expect(quantile(new Float64Array([7]), 0.99)).toBe(7);
});

test('there is none of no values', () => {
  expect(quantile([], 0.5)).toBeNull();
});

test('it lies between the least and the greatest value', () => {
  fc.assert(
    fc.property(values, share, (sorted, at) => {
      const value = quantile(sorted, at)!;
      return value >= sorted[0]! && value <= sorted.at(-1)!;
    }),
  );
});

test('it never falls as the share grows', () => {
  fc.assert(
    fc.property(values, share, share, (sorted, a, b) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      return quantile(sorted, low)! <= quantile(sorted, high)! * (1 + 1e-12) + 1e-12;
    }),
  );
});

test('at the share of a rank it is the value of that rank', () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 49 }), (sorted, pick) => {
      const rank = pick % sorted.length;
      const at = sorted.length === 1 ? 0 : rank / (sorted.length - 1);
      expect(quantile(sorted, at)).toBeCloseTo(sorted[rank]!, 5);
    }),
  );
});
