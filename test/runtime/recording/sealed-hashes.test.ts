import fc from 'fast-check';
import { createSeal, openPrefix } from '../../../runtime/recording/sealed-hashes';

const seal = createSeal(Buffer.alloc(16, 1));
const chain = () => fc.array(fc.nat(5), { maxLength: 8 });
/** Chained hashes, as a router makes them. */
const chained = (blocks: readonly number[]) => blocks.map((_, i) => Number(`1${blocks.slice(0, i + 1).join('')}`));

test('two prompts share ids exactly as far as they share blocks', () => {
  fc.assert(
    fc.property(chain(), chain(), (one, other) => {
      const [a, b] = [openPrefix(seal(chained(one))), openPrefix(seal(chained(other)))];
      expect(a).toHaveLength(one.length);
      const firstDifferent = one.findIndex((block, i) => block !== other[i]);
      const shared = firstDifferent < 0 ? one.length : firstDifferent;
      expect(a.map((id, i) => id === b[i])).toEqual(one.map((_, i) => i < shared));
    }),
  );
});

test('ids are integers below 2^51, and 10,000 of them differ', () => {
  const ids = Array.from({ length: 100 }, (_, i) =>
    openPrefix(seal(Array.from({ length: 100 }, (_, j) => i * 100 + j))),
  );
  expect(ids.flat().every((id) => Number.isSafeInteger(id) && id >= 0 && id < 2 ** 51)).toBe(true);
  expect(new Set(ids.flat()).size).toBe(10_000);
});

test('another key seals the same hashes otherwise', () => {
  expect(createSeal(Buffer.alloc(16, 2))([1, 2])).not.toBe(seal([1, 2]));
});
