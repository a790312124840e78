import { createDispatchRate, drainMs, noteDispatch } from '../../../../runtime/endpoint-picker/admission/dispatch-rate';

test('the time to drain is what is ahead by the rate of the last seconds with a queue', () => {
  const rate = createDispatchRate();
  let now = 0;
  noteDispatch(rate, 0, 10, now);
  for (let i = 0; i < 20; i++) {
    now += 250;
    noteDispatch(rate, 1, 10, now);
  }
  expect(drainMs(rate, 8)).toBeCloseTo(2000, -2);
});

test('time without a queue is not counted', () => {
  const rate = createDispatchRate();
  noteDispatch(rate, 0, 1, 0);
  for (let now = 1000; now <= 8000; now += 1000) noteDispatch(rate, 1, 1, now);
  noteDispatch(rate, 1, 0, 9000);
  const before = drainMs(rate, 10);
  noteDispatch(rate, 0, 1, 1_000_000);
  expect(drainMs(rate, 10)).toBe(before);
});

test('a few dispatches are no rate: told is no more than they rule out', () => {
  const rate = createDispatchRate();
  noteDispatch(rate, 0, 1, 0);
  noteDispatch(rate, 1, 1, 1000);
  expect(drainMs(rate, 10)).toBe(2500);
  expect(drainMs(createDispatchRate(), 10)).toBe(0);
});
