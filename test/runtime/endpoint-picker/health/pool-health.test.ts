import { isOpen } from '../../../../runtime/endpoint-picker/health/endpoint-health';
import { admit, requestFailed, scrapeFailed } from '../../../../runtime/endpoint-picker/health/evidence';
import { forget, liftBars } from '../../../../runtime/endpoint-picker/health/pool-health';
import { type TestPool, testPool } from './test-pool';

/** Requests that the first endpoint takes at `now`, when the others have `mean` each. */
function taken(pool: TestPool, mean: number, now: number): number {
  const [ramping, ...others] = pool.endpoints;
  for (const { load } of others) load.requests = mean;
  ramping!.load.requests = 0;
  while (ramping!.load.requests < 1000) {
    pool.tend(now);
    if (!isOpen(ramping!)) break;
    ramping!.load.requests += 1;
  }
  return ramping!.load.requests;
}

test('the share of one that comes back grows from one request to that of the others, and then is free', () => {
  const pool = testPool(4);
  admit(pool.endpoints[0]!, Number.POSITIVE_INFINITY, 0);
  expect([0, 2500, 5000, 9999, 10_000].map((now) => taken(pool, 40, now))).toEqual([1, 10, 20, 40, 1000]);
});

test('one request is always allowed, where the others have none', () => {
  const pool = testPool(2);
  admit(pool.endpoints[0]!, Number.POSITIVE_INFINITY, 0);
  expect(taken(pool, 0, 100)).toBe(1);
});

test('who was away for a moment has its share after a second', () => {
  const pool = testPool(2);
  admit(pool.endpoints[0]!, 50, 0);
  expect([500, 1000].map((now) => taken(pool, 40, now))).toEqual([20, 1000]);
});

test('where nobody is established all take what they get', () => {
  const pool = testPool(3);
  for (const endpoint of pool.endpoints) admit(endpoint, Number.POSITIVE_INFINITY, 0);
  expect(taken(pool, 0, 0)).toBe(1000);
});

test('an excluded one does not count among the others', () => {
  const pool = testPool(2);
  admit(pool.endpoints[0]!, Number.POSITIVE_INFINITY, 0);
  scrapeFailed(pool.endpoints[1]!, 'refused', 0, 0);
  expect(taken(pool, 5, 0)).toBe(1000);
});

test('nor does one whose metrics are old', () => {
  const pool = testPool(2);
  admit(pool.endpoints[0]!, Number.POSITIVE_INFINITY, 0);
  pool.endpoints[1]!.freshUntil = 99;
  expect([99, 100].map((now) => taken(pool, 5, now))).toEqual([1, 1000]);
});

test('bars can be lifted, but not from one that is excluded', () => {
  const pool = testPool(3);
  admit(pool.endpoints[0]!, Number.POSITIVE_INFINITY, 0);
  expect(taken(pool, 40, 0)).toBe(1);
  expect(liftBars(pool.health, 'all', () => undefined)).toBe(true);
  expect(isOpen(pool.endpoints[0]!)).toBe(true);
  scrapeFailed(pool.endpoints[0]!, 'refused', 0, 0);
  expect(liftBars(pool.health, 'all', () => undefined)).toBe(false);
});

test('bars of ramps alone can be lifted', () => {
  const pool = testPool(4);
  for (let i = 0; i < 2; i++) requestFailed(pool.endpoints[0]!, 'connection', 0, 0);
  pool.tend(1000);
  pool.endpoints[0]!.load.requests = 1;
  admit(pool.endpoints[1]!, Number.POSITIVE_INFINITY, 1000);
  pool.endpoints[1]!.load.requests = 1;
  pool.tend(1001);
  expect(pool.endpoints.map(isOpen)).toEqual([false, false, true, true]);
  liftBars(pool.health, 'ramping', () => undefined);
  expect(pool.endpoints.map(isOpen)).toEqual([false, true, true, true]);
});

test('of one that has left nothing is kept, whatever is told of it later', () => {
  const pool = testPool(4);
  const [gone] = pool.endpoints;
  forget(pool.health, gone!);
  admit(gone!, 0, 0);
  for (let i = 0; i < 5; i++) requestFailed(gone!, 'errors', 0, 0);
  scrapeFailed(gone!, 'refused', 0, 0);
  expect([pool.health.tended.size, pool.health.excluded.size]).toEqual([0, 0]);
});

test('a pool without anything to tend changes nothing', () => {
  const pool = testPool(3);
  pool.tend(5000);
  expect(pool.endpoints.every(isOpen)).toBe(true);
});
