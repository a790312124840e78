import { estimate, studentT95 } from '../../../../runtime/simulator/report/interval';

test.each([
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [4, 2.776],
  [9, 2.262],
  [10, 2.228],
  [29, 2.045],
  [30, 2.042],
  [120, 1.98],
  [999, 1.962],
])('the t of 95 %% with %i degrees of freedom is %d, as printed tables have it', (degrees, t) => {
  expect(studentT95(degrees)).toBeCloseTo(t, 3);
});

test('mean and half-width of known values', () => {
  // Mean 5, variance 10, so 2.776 * sqrt(10 / 5).
  const { mean, halfWidth } = estimate([1, 3, 5, 7, 9]);
  expect(mean).toBe(5);
  expect(halfWidth).toBeCloseTo(3.926, 3);
});

test('one value has no interval', () => {
  expect(estimate([4])).toEqual({ mean: 4, halfWidth: null });
});

test('without values there is no mean', () => {
  expect(estimate([])).toEqual({ mean: null, halfWidth: null });
});

test('a missing value is not left out of the mean', () => {
  expect(estimate([1, null, 3])).toEqual({ mean: null, halfWidth: null });
});
