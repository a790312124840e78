import fc from 'fast-check';
import { boundary, stepsEnded, stepsUntil } from '../../../../runtime/simulator/engine/step-run';

const run = fc.record({
  start: fc.double({ min: 0, max: 1000, noNaN: true }),
  first: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
  growth: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e-3, noNaN: true })),
  steps: fc.constant(1),
});

test('boundaries are the sums of steps that grow evenly', () => {
  const steps = { start: 5, first: 1, growth: 0.5, steps: 4 };
  expect([1, 2, 3].map((count) => boundary(steps, count))).toEqual([6, 7.5, 9.5]);
});

test('the step that ends at a time or later is the first that does', () => {
  fc.assert(
    fc.property(run, fc.double({ min: 0, max: 100, noNaN: true }), (steps, after) => {
      const time = steps.start + after;
      const count = stepsUntil(steps, time);
      expect(boundary(steps, count)).toBeGreaterThanOrEqual(time);
      if (count > 1) expect(boundary(steps, count - 1)).toBeLessThan(time);
    }),
  );
});

test('a step has ended at its boundary', () => {
  fc.assert(
    fc.property(run, fc.integer({ min: 1, max: 500 }), (steps, count) => {
      expect(stepsEnded(steps, boundary(steps, count))).toBe(count);
    }),
  );
});
