import { createTokenCache } from '../../../../runtime/endpoint-picker/kv-events/token-cache';

const tokens = (count: number) => ({ tokens: new Uint32Array(count), count });

test('the least recently used go when the bytes are used up', () => {
  const cache = createTokenCache(2 * (400 + 256));
  cache.set('a', tokens(100));
  cache.set('b', tokens(100));
  cache.get('a');
  cache.set('c', tokens(100));
  expect(['a', 'b', 'c'].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true]);
  expect(cache.bytes).toBe(2 * (400 + 256));
});

test('a key set again counts once, and what is larger than the cache is left out', () => {
  const cache = createTokenCache(1000);
  cache.set('a', tokens(100));
  cache.set('a', tokens(50));
  expect(cache.bytes).toBe(200 + 256);
  cache.set('b', tokens(1000));
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toBeDefined();
});
