import fc from 'fast-check';
import { createPreciseIndex } from '../../../../runtime/endpoint-picker/prefix/precise-index';

const random = () => 0.5;

function matchOf(index: ReturnType<typeof createPreciseIndex>, hashes: readonly number[]): number[] {
  const matched = new Int32Array(20);
  index.match(hashes, matched);
  return [...matched];
}

test('an endpoint matches up to its first block that is gone', () => {
  const index = createPreciseIndex(random);
  for (const [engine, ours] of [
    [1, 11],
    [2, 12],
    [3, 13],
  ] as const) {
    index.store(4, engine, ours);
  }
  index.store(5, 1, 11);
  expect(matchOf(index, [11, 12, 13, 14]).slice(4, 6)).toEqual([3, 1]);
  index.remove(4, 2);
  expect(matchOf(index, [11, 12, 13, 14]).slice(4, 6)).toEqual([1, 1]);
});

test('a block that the engine holds twice goes with its second removal', () => {
  const index = createPreciseIndex(random);
  index.store(0, 1, 11);
  index.store(0, 1, 11);
  index.remove(0, 1);
  expect(matchOf(index, [11])[0]).toBe(1);
  index.remove(0, 1);
  expect(matchOf(index, [11])[0]).toBe(0);
});

test('a removal of what is not known does nothing', () => {
  const index = createPreciseIndex(random);
  index.store(0, 1, 11);
  index.remove(0, 2);
  index.remove(7, 1);
  expect(matchOf(index, [11])[0]).toBe(1);
});

test('what finds no room is refused, by endpoint and over all', () => {
  const index = createPreciseIndex(random, { maxPairs: 3, maxBlocksPerEndpoint: 2 });
  expect([1, 2, 3].map((block) => index.store(0, block, block))).toEqual([true, true, false]);
  expect([1, 2].map((block) => index.store(1, block, block))).toEqual([true, false]);
  expect(index.size).toBe(3);
  index.clear(0);
  expect(index.store(1, 2, 2)).toBe(true);
});

test('it agrees with sets of blocks, whatever is stored, removed and cleared', () => {
  const step = fc.tuple(
    fc.constantFrom('store', 'store', 'store', 'remove', 'clear'),
    fc.integer({ min: 0, max: 12 }),
    fc.integer({ min: 0, max: 6 }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const index = createPreciseIndex(random);
      const model = new Map<number, Map<number, number>>();
      for (const [what, endpoint, block] of steps) {
        const held = model.get(endpoint) ?? new Map<number, number>();
        model.set(endpoint, held);
        const times = held.get(block) ?? 0;
        if (what === 'store') {
          index.store(endpoint, block, block + 100);
          held.set(block, times + 1);
        } else if (what === 'remove') {
          index.remove(endpoint, block);
          if (times <= 1) held.delete(block);
          else held.set(block, times - 1);
        } else {
          index.clear(endpoint);
          held.clear();
        }
      }
      const matched = matchOf(index, [100, 101, 102, 103, 104, 105, 106]);
      let size = 0;
      for (const [endpoint, held] of model) {
        let run = 0;
        while (held.has(run)) run++;
        expect(matched[endpoint]).toBe(run);
        expect(index.sizeOf(endpoint)).toBe(held.size);
        size += held.size;
      }
      expect(index.size).toBe(size);
    }),
    { numRuns: 100 },
  );
});
