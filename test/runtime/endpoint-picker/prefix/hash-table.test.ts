import fc from 'fast-check';
import { createHashTable } from '../../../../runtime/endpoint-picker/prefix/hash-table';

// Few keys, so that a run meets each again and again, and some that differ only above 32 bits.
const key = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(2 ** 32, 2 ** 33, 2 ** 52, 2 ** 53 - 1));

test('it holds what a Map would hold, through growth and deletion', () => {
  const step = fc.tuple(fc.constantFrom('set', 'set', 'delete'), key, fc.integer({ min: 0, max: 2 ** 53 - 1 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer(), (steps, salt) => {
      const table = createHashTable(salt);
      const model = new Map<number, number>();
      for (const [what, at, value] of steps) {
        if (what === 'set') {
          table.set(at, value);
          model.set(at, value);
        } else {
          table.delete(at);
          model.delete(at);
        }
      }
      expect(table.size).toBe(model.size);
      for (const [at, value] of model) expect(table.get(at)).toBe(value);
      expect([...table.values()].sort()).toEqual([...model.values()].sort());
      expect(table.get(999)).toBeUndefined();
    }),
    { numRuns: 100 },
  );
});

test('it is empty after clear', () => {
  const table = createHashTable(1);
  for (let i = 0; i < 1000; i++) table.set(i, i);
  table.clear();
  expect(table.size).toBe(0);
  expect(table.get(5)).toBeUndefined();
});
