import fc from 'fast-check';
import { sliceBody } from '../../../../runtime/body-router/body/span';
import { blockHashes, MAX_BLOCKS } from '../../../../runtime/body-router/prefix/block-hashes';
import { BLOCK_BYTES } from '../../../../runtime/body-router/prefix/block-mix';
import { bodyFrom, cuts } from '../fixtures';

function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length);
  for (let i = 0, x = seed; i < length; i++) {
    x = Math.imul(x, 1103515245) + 12345;
    bytes[i] = x >>> 24;
  }
  return bytes;
}
const hashes = (bytes: Buffer, salt = 'm', at: readonly number[] = []) =>
  blockHashes(bodyFrom(bytes, at), [{ start: 0, end: bytes.length }], salt);

test('the hashes are the same in any chunks', () => {
  const bytes = noise(5 * BLOCK_BYTES + 17);
  const whole = hashes(bytes);
  fc.assert(
    fc.property(cuts(), (at) => {
      expect(hashes(bytes, 'm', at)).toEqual(whole);
    }),
  );
});

test('spans count as one text in the order given', () => {
  const bytes = noise(4 * BLOCK_BYTES);
  const spans = [
    { start: 300, end: 900 },
    { start: 10, end: 210 },
  ];
  const joined = Buffer.concat(spans.flatMap((span) => sliceBody(bodyFrom(bytes), span).chunks));
  expect(blockHashes(bodyFrom(bytes, [77, 500]), spans, 'm')).toEqual(hashes(joined));
});

test('only whole blocks are hashed', () => {
  expect(hashes(noise(BLOCK_BYTES - 1))).toEqual([]);
  expect(hashes(noise(2 * BLOCK_BYTES - 1))).toHaveLength(1);
});

test('texts share hashes exactly as far as they share whole blocks', () => {
  const bytes = noise(8 * BLOCK_BYTES);
  const one = hashes(bytes);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = Buffer.from(bytes);
      changed[at]! ^= flip;
      const other = hashes(changed);
      const first = Math.floor(at / BLOCK_BYTES);
      expect(other.map((hash, i) => hash === one[i])).toEqual(one.map((_, i) => i < first));
    }),
  );
});

test('another salt shares nothing', () => {
  const bytes = noise(4 * BLOCK_BYTES);
  expect(new Set([...hashes(bytes, 'a'), ...hashes(bytes, 'b')]).size).toBe(8);
});

test('hashes are integers below 2^53, and 5,000 of them differ', () => {
  const all = Array.from({ length: 10 }, (_, seed) => hashes(noise(MAX_BLOCKS * BLOCK_BYTES, seed + 1))).flat();
  expect(all.every((hash) => Number.isSafeInteger(hash) && hash >= 0)).toBe(true);
  expect(new Set(all).size).toBe(all.length);
});

test('blocks of counters, which differ in a few bits, do not collide', () => {
  const seen = new Set<number>();
  for (let i = 0; i < 5000; i++) {
    const block = Buffer.alloc(BLOCK_BYTES);
    block.writeUInt32LE(i, (i % 64) * 4);
    seen.add(hashes(block)[0]!);
  }
  // The block of zeros stands for the one counter 0.
  expect(seen.size).toBe(5000);
});

test('a prompt has at most the bound of blocks', () => {
  expect(hashes(Buffer.alloc((MAX_BLOCKS + 5) * BLOCK_BYTES))).toHaveLength(MAX_BLOCKS);
});
