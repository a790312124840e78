import { isOver, rampAfter, rampLimit } from '../../../../runtime/endpoint-picker/health/ramp';

test.each([
  [0, 1000],
  [1000, 1000],
  [4000, 4000],
  [60_000, 10_000],
  [Number.POSITIVE_INFINITY, 10_000],
])('after %i ms away it lasts %i ms', (awayMs, lastsMs) => {
  const ramp = rampAfter(awayMs, 500);
  expect(ramp).toEqual({ from: 500, lastsMs });
  expect([isOver(ramp, 500 + lastsMs - 1), isOver(ramp, 500 + lastsMs)]).toEqual([false, true]);
});

test('the limit grows in step with the time, and is one at least', () => {
  const ramp = rampAfter(10_000, 0);
  expect([0, 100, 2500, 10_000].map((now) => rampLimit(ramp, 20, now))).toEqual([1, 1, 5, 20]);
});
