import { createBackoff } from '../../../runtime/local/backoff';

test('delays double from the minimum up to the maximum', () => {
  const backoff = createBackoff(100, 500);

  expect([backoff.next(), backoff.next(), backoff.next(), backoff.next()]).toEqual([100, 200, 400, 500]);
});

test('after a reset the minimum comes first again', () => {
  const backoff = createBackoff(100, 500);
  backoff.next();
  backoff.next();

  backoff.reset();

  expect(backoff.next()).toBe(100);
});
