import { exclusionAt, isOpen, isRamping } from '../../../../runtime/endpoint-picker/health/endpoint-health';
import {
  answerBegan,
  requestFailed,
  requestLeft,
  requestSucceeded,
  scrapeFailed,
  scrapeTold,
} from '../../../../runtime/endpoint-picker/health/evidence';
import { type TestPool, testPool } from './test-pool';

function setUp(count = 4) {
  const pool = testPool(count);
  return { pool, endpoint: pool.endpoints[0]! };
}

/** Whether new requests may go to it. */
function isOpenAt(pool: TestPool, now: number, number = 0): boolean {
  pool.tend(now);
  return isOpen(pool.endpoints[number]!);
}

describe('scrapes', () => {
  test('a refused one excludes at once, and one that is answered ends it, however late', () => {
    const { pool, endpoint } = setUp();
    scrapeFailed(endpoint, 'refused', 0, 1);
    expect(exclusionAt(endpoint.health, 1)).toBe('refused');
    expect(isOpenAt(pool, 1e9)).toBe(false);
    scrapeTold(endpoint, 1e9);
    expect(isOpenAt(pool, 1e9)).toBe(true);
    expect(isRamping(endpoint.health, 1e9)).toBe(true);
  });

  test('one without an answer excludes at once where nothing was heard since it left', () => {
    const { endpoint } = setUp();
    answerBegan(endpoint, 0, 90);
    scrapeFailed(endpoint, 'timeout', 100, 850);
    expect(exclusionAt(endpoint.health, 850)).toBe('timeout');
  });

  test('one without an answer says nothing where a request was answered meanwhile', () => {
    const { pool, endpoint } = setUp();
    answerBegan(endpoint, 0, 400);
    scrapeFailed(endpoint, 'timeout', 100, 850);
    expect(isOpenAt(pool, 850)).toBe(true);
  });

  test('an answer to a request ends an exclusion for silence', () => {
    const { pool, endpoint } = setUp();
    scrapeFailed(endpoint, 'timeout', 100, 850);
    answerBegan(endpoint, 0, 900);
    expect(isOpenAt(pool, 900)).toBe(true);
  });

  test('an answer to a request does not end an exclusion for refusal: a server that ends answers its old requests', () => {
    const { pool, endpoint } = setUp();
    scrapeFailed(endpoint, 'refused', 100, 101);
    answerBegan(endpoint, 0, 900);
    expect(isOpenAt(pool, 900)).toBe(false);
  });

  test('one broken connection is chance, two in a row are not', () => {
    const { pool, endpoint } = setUp();
    scrapeFailed(endpoint, 'connection', 0, 1);
    scrapeTold(endpoint, 200);
    scrapeFailed(endpoint, 'connection', 400, 401);
    expect(isOpenAt(pool, 401)).toBe(true);
    scrapeFailed(endpoint, 'connection', 600, 601);
    expect(exclusionAt(endpoint.health, 601)).toBe('connection');
  });

  test('may exclude all of a pool: they are certain', () => {
    const { pool } = setUp(2);
    for (const endpoint of pool.endpoints) scrapeFailed(endpoint, 'refused', 0, 1);
    expect(pool.endpoints.map(isOpen)).toEqual([false, false]);
  });
});

describe('requests', () => {
  test('two connections that fail in a row exclude, with no answer between', () => {
    const { pool, endpoint } = setUp();
    requestFailed(endpoint, 'connection', 0, 10);
    answerBegan(endpoint, 5, 20);
    requestFailed(endpoint, 'connection', 21, 30);
    expect(isOpenAt(pool, 30)).toBe(true);
    requestFailed(endpoint, 'connection', 22, 40);
    expect(exclusionAt(endpoint.health, 40)).toBe('connection');
  });

  test('a failure that is told late, of a request from before the last answer, does not count', () => {
    const { pool, endpoint } = setUp();
    answerBegan(endpoint, 0, 100);
    for (let i = 0; i < 5; i++) requestFailed(endpoint, 'connection', 50, 200);
    expect(isOpenAt(pool, 200)).toBe(true);
  });

  test('five errors in a row exclude, and a success between starts the count anew', () => {
    const { pool, endpoint } = setUp();
    for (let i = 0; i < 4; i++) requestFailed(endpoint, 'errors', i, i);
    requestSucceeded(endpoint, 0, 5);
    for (let i = 6; i < 10; i++) requestFailed(endpoint, 'errors', i, i);
    expect(isOpenAt(pool, 10)).toBe(true);
    requestFailed(endpoint, 'errors', 11, 11);
    expect(exclusionAt(endpoint.health, 11)).toBe('errors');
  });

  test('an answered scrape does not end what requests have shown', () => {
    const { pool, endpoint } = setUp();
    for (let i = 0; i < 2; i++) requestFailed(endpoint, 'connection', 0, 10);
    scrapeTold(endpoint, 20);
    expect(isOpenAt(pool, 20)).toBe(false);
  });

  test('but after a scrape has failed as well, one that is answered does: the server was started again', () => {
    const { pool, endpoint } = setUp();
    for (let i = 0; i < 2; i++) requestFailed(endpoint, 'connection', 0, 10);
    scrapeFailed(endpoint, 'refused', 15, 16);
    scrapeTold(endpoint, 500);
    expect(isOpenAt(pool, 500)).toBe(true);
  });

  test('exclude nobody where scrapes have excluded half', () => {
    const pool = testPool(4);
    for (const endpoint of pool.endpoints.slice(0, 2)) scrapeFailed(endpoint, 'refused', 0, 0);
    for (const endpoint of pool.endpoints) {
      for (let i = 0; i < 9; i++) requestFailed(endpoint, 'errors', 0, 1);
    }
    expect(pool.endpoints.map(isOpen)).toEqual([false, false, true, true]);
  });

  test('errors are not in a row where an answer between them began well, though it has not ended', () => {
    const { pool, endpoint } = setUp();
    for (let i = 0; i < 50; i++) {
      requestFailed(endpoint, 'errors', i, i);
      if (i % 4 === 3) answerBegan(endpoint, i, i, true);
    }
    expect(isOpenAt(pool, 50)).toBe(true);
  });

  test.each([1, 2, 3, 4, 7])('exclude no more than half of %i endpoints, however many fail', (count) => {
    const pool = testPool(count);
    for (const endpoint of pool.endpoints) {
      for (let i = 0; i < 9; i++) requestFailed(endpoint, 'errors', 0, 1);
    }
    expect(pool.endpoints.filter((endpoint) => !isOpen(endpoint))).toHaveLength(Math.floor(count / 2));
  });
});

describe('probation', () => {
  function excluded() {
    const { pool, endpoint } = setUp();
    for (let i = 0; i < 2; i++) requestFailed(endpoint, 'connection', 0, 0);
    return { pool, endpoint };
  }

  test('comes after a second, and allows one request', () => {
    const { pool, endpoint } = excluded();
    expect(isOpenAt(pool, 999)).toBe(false);
    expect(isOpenAt(pool, 1000)).toBe(true);
    endpoint.load.requests = 1;
    expect(isOpenAt(pool, 1001)).toBe(false);
  });

  test('ends with an answer', () => {
    const { pool, endpoint } = excluded();
    pool.tend(1000);
    answerBegan(endpoint, 1001, 1100);
    pool.tend(2200);
    expect(isRamping(endpoint.health, 2200)).toBe(false);
    expect(pool.health.tended.size).toBe(0);
  });

  test('does not end with an answer to a request from before', () => {
    const { pool, endpoint } = excluded();
    pool.tend(1000);
    answerBegan(endpoint, 900, 1100);
    endpoint.load.requests = 1;
    expect(isOpenAt(pool, 60_000)).toBe(false);
  });

  test('allows one request, however many from before it end meanwhile', () => {
    const { pool, endpoint } = setUp();
    endpoint.load.requests = 8;
    for (let i = 0; i < 2; i++) requestFailed(endpoint, 'connection', 0, 0);
    expect(isOpenAt(pool, 1000)).toBe(true);
    endpoint.load.requests += 1;
    for (let ended = 0; ended < 8; ended++) {
      expect(isOpenAt(pool, 1001)).toBe(false);
      requestLeft(endpoint, 0);
      endpoint.load.requests -= 1;
    }
    expect(isOpenAt(pool, 1002)).toBe(false);
    requestLeft(endpoint, 1000);
    endpoint.load.requests -= 1;
    expect(isOpenAt(pool, 1003)).toBe(true);
  });

  test('after errors it takes a success: headers alone may be those of one more error', () => {
    const { pool, endpoint } = setUp();
    for (let i = 0; i < 5; i++) requestFailed(endpoint, 'errors', 0, 0);
    pool.tend(1000);
    answerBegan(endpoint, 1001, 1100);
    expect(endpoint.health.probation).toBe('errors');
    answerBegan(endpoint, 1001, 1200, true);
    expect(endpoint.health.probation).toBeUndefined();
  });

  test('one more failure excludes for twice as long each time, up to 30 s', () => {
    const { pool, endpoint } = excluded();
    const lengths: number[] = [];
    let now = 0;
    for (let round = 0; round < 7; round++) {
      const from = now;
      while (!isOpenAt(pool, now)) now += 500;
      lengths.push((now - from) / 1000);
      requestFailed(endpoint, 'connection', now, now);
    }
    expect(lengths).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  test('long after the last exclusion the next is a short one again', () => {
    const { pool, endpoint } = excluded();
    pool.tend(1000);
    requestFailed(endpoint, 'connection', 1001, 1001);
    pool.tend(3001);
    answerBegan(endpoint, 3002, 3002);
    for (let i = 0; i < 2; i++) requestFailed(endpoint, 'connection', 100_000, 100_000);
    expect(isOpenAt(pool, 101_000)).toBe(true);
  });
});
