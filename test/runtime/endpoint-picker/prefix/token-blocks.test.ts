import fc from 'fast-check';
import { blockHash, blockHashes, rootHash } from '../../../../runtime/endpoint-picker/prefix/token-blocks';

const tokens = Uint32Array.from({ length: 64 }, (_, i) => i * 7919);
const root = rootHash('base', undefined, 16);

test('each hash can be had from the one before and its own tokens', () => {
  const hashes = blockHashes(root, tokens, 16, 100);
  expect(hashes).toHaveLength(4);
  expect(blockHash(hashes[1]!, tokens, 32, 16)).toBe(hashes[2]);
});

test('hashes are non-negative integers below 2^53', () => {
  fc.assert(
    fc.property(fc.uint32Array({ minLength: 4, maxLength: 4 }), fc.string(), (some, model) => {
      const hash = blockHash(rootHash(model, undefined, 4), some, 0, 4);
      expect(Number.isSafeInteger(hash) && hash >= 0).toBe(true);
    }),
  );
});

test('a changed token changes the hash of its block and of all after it, and of none before', () => {
  const other = Uint32Array.from(tokens);
  other[20]! ^= 1;
  const [a, b] = [blockHashes(root, tokens, 16, 100), blockHashes(root, other, 16, 100)];
  expect(a.map((hash, i) => hash === b[i])).toEqual([true, false, false, false]);
});

test('models, adapters and block sizes part the chains', () => {
  const roots = [root, rootHash('other', undefined, 16), rootHash('base', 'lora', 16), rootHash('base', undefined, 8)];
  expect(new Set(roots.map((one) => blockHash(one, tokens, 0, 16))).size).toBe(4);
});

test('only whole blocks are hashed, and no more than asked for', () => {
  expect(blockHashes(root, tokens.subarray(0, 31), 16, 100)).toHaveLength(1);
  expect(blockHashes(root, tokens, 16, 3)).toHaveLength(3);
});

test('a hundred thousand blocks that differ in one token have no two hashes alike', () => {
  const block = new Uint32Array(16);
  const seen = new Set<number>();
  for (let i = 0; i < 100_000; i++) {
    block[i % 16] = i;
    seen.add(blockHash(root, block, 0, 16));
  }
  expect(seen.size).toBeGreaterThan(99_990);
});
