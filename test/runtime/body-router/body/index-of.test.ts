import fc from 'fast-check';
import { indexOf } from '../../../../runtime/body-router/body/index-of';
import { runNow, SLICE_BYTES } from '../../../../runtime/body-router/body/turns';
import { bodyFrom, cuts } from '../fixtures';

test('finds what a search in the joined bytes finds, in any chunks', () => {
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 30 }).map((letters) => letters.join(''));
  const needle = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 5 }).map((letters) => letters.join(''));
  fc.assert(
    fc.property(text, needle, fc.nat(31), fc.array(fc.nat(), { maxLength: 12 }), (all, part, from, at) => {
      expect(runNow(indexOf(bodyFrom(all, at), Buffer.from(part), from))).toBe(
        from > all.length ? -1 : all.indexOf(part, from),
      );
    }),
    { numRuns: 3000 },
  );
});

test('finds a needle across the slices of one chunk, and stops between slices', () => {
  const bytes = Buffer.concat([Buffer.alloc(SLICE_BYTES - 1), Buffer.from('needle'), Buffer.alloc(10)]);
  expect(runNow(indexOf(bodyFrom(bytes), Buffer.from('needle'), 0))).toBe(SLICE_BYTES - 1);
  expect(indexOf(bodyFrom(Buffer.alloc(2 * SLICE_BYTES)), Buffer.from('x'), 0).next().done).toBe(false);
});

test('works with one-byte needles at the edges of chunks', () => {
  fc.assert(
    fc.property(cuts(), (at) => {
      expect(runNow(indexOf(bodyFrom('aaaaab', at), Buffer.from('b'), 0))).toBe(5);
    }),
  );
});
