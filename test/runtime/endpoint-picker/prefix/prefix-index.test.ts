import fc from 'fast-check';
import { createPrefixIndex, type PrefixIndex } from '../../../../runtime/endpoint-picker/prefix/prefix-index';
import { seededRandom } from '../support/fixtures';

function matchOf(index: PrefixIndex, hashes: number[], endpoints = 4): number[] {
  const matched = new Int32Array(endpoints);
  index.match(hashes, matched);
  return [...matched];
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

describe('the prefix index', () => {
  test('a match is the longest run of blocks from the first on', () => {
    const index = createPrefixIndex(seededRandom(1));
    index.add([1, 2, 3], 0);
    index.add([1, 2], 1);
    index.add([2, 3, 4], 2);
    expect(matchOf(index, [1, 2, 3, 4])).toEqual([3, 2, 0, 0]);
  });

  test('hashes that differ only above 32 bits are different blocks', () => {
    const index = createPrefixIndex(seededRandom(1));
    index.add([5], 0);
    expect(matchOf(index, [5 + 2 ** 32])).toEqual([0, 0, 0, 0]);
  });

  test('an endpoint at its limit forgets the prompt it saw least recently, its end first', () => {
    const index = createPrefixIndex(seededRandom(1), { maxBlocksPerEndpoint: 6 });
    index.add([1, 2, 3], 0);
    index.add([11, 12, 13], 0);
    index.add([1, 2, 3], 0);
    index.add([21], 0);
    expect(matchOf(index, [1, 2, 3])[0]).toBe(3);
    expect(matchOf(index, [11, 12, 13])[0]).toBe(2);
    expect(index.sizeOf(0)).toBe(6);
  });

  test('a prompt longer than the limit keeps its start', () => {
    const index = createPrefixIndex(seededRandom(1), { maxBlocksPerEndpoint: 4 });
    index.add(range(1, 10), 0);
    expect(matchOf(index, range(1, 10))[0]).toBe(4);
  });

  test('an endpoint that went away is forgotten, and the others are not', () => {
    const index = createPrefixIndex(seededRandom(1));
    index.add([1, 2], 0);
    index.add([1, 2], 1);
    index.purge(0);
    expect(matchOf(index, [1, 2])).toEqual([0, 2, 0, 0]);
    expect(index.size).toBe(2);
  });

  test('a new endpoint finds room in a full index', () => {
    const index = createPrefixIndex(seededRandom(1), { maxPairs: 100 });
    index.add(range(1, 200), 0);
    expect(index.size).toBe(100);
    index.add(range(1, 10), 1);
    expect(matchOf(index, range(1, 10))[1]).toBe(10);
    expect(index.size).toBeLessThanOrEqual(100);
  });

  test('agrees with sets of blocks, and stays bounded, whatever is added and purged', () => {
    const step = fc.oneof(
      fc.record({ add: fc.array(fc.nat(40), { minLength: 1, maxLength: 8 }), endpoint: fc.nat(3) }),
      fc.record({ purge: fc.constant(true), endpoint: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.array(fc.nat(40), { maxLength: 8 }), (steps, asked) => {
        const index = createPrefixIndex(seededRandom(3), { maxPairs: 4096 });
        const tight = createPrefixIndex(seededRandom(3), { maxPairs: 20, maxBlocksPerEndpoint: 9 });
        const held = [0, 1, 2, 3].map(() => new Set<number>());
        for (const each of steps) {
          if ('purge' in each) {
            held[each.endpoint]!.clear();
            index.purge(each.endpoint);
            tight.purge(each.endpoint);
          } else {
            for (const hash of each.add) held[each.endpoint]!.add(hash);
            index.add(each.add, each.endpoint);
            tight.add(each.add, each.endpoint);
          }
          expect(tight.size).toBeLessThanOrEqual(20);
          expect(tight.size).toBe([0, 1, 2, 3].reduce((sum, endpoint) => sum + tight.sizeOf(endpoint), 0));
        }
        const expected = held.map((blocks) => {
          const missing = asked.findIndex((hash) => !blocks.has(hash));
          return missing < 0 ? asked.length : missing;
        });
        expect(matchOf(index, asked)).toEqual(expected);
        matchOf(tight, asked).forEach((length, endpoint) => {
          expect(length).toBeLessThanOrEqual(expected[endpoint]!);
        });
      }),
      { numRuns: 200 },
    );
  });

  test('grows from small to full without losing what it holds', () => {
    const index = createPrefixIndex(seededRandom(5), { maxPairs: 10_000 });
    for (let prompt = 0; prompt < 1000; prompt++) index.add(range(prompt * 100, 8), prompt % 4);
    expect(index.size).toBe(8000);
    for (let prompt = 0; prompt < 1000; prompt++) {
      expect(matchOf(index, range(prompt * 100, 8))[prompt % 4]).toBe(8);
    }
  });

  test('keeps no more of an endpoint than its own cache holds, and forgets the rest when it learns of that', () => {
    const index = createPrefixIndex(seededRandom(1));
    index.add(range(1, 20), 0);
    index.add(range(1, 20), 1);
    index.limit(0, 7.5);
    expect([index.sizeOf(0), index.sizeOf(1)]).toEqual([7, 20]);
    index.add(range(101, 20), 0);
    expect(matchOf(index, range(101, 20))).toEqual([7, 0, 0, 0]);
    index.limit(0, 0);
    expect(index.sizeOf(0)).toBe(1);
  });
});

describe('the memory of the prefix index', () => {
  const MIB = 2 ** 20;
  const buffers = () => process.memoryUsage().arrayBuffers;

  test('is 120 MiB by default, reserved at once', () => {
    const before = buffers();
    const index = createPrefixIndex(seededRandom(1));
    expect((buffers() - before) / MIB).toBeLessThan(121);
    expect(index.size).toBe(0);
  });

  test('does not grow, however many prefixes go to however many pods, nor after these went', () => {
    const [pods, blocks, maxPairs] = [100, 8, 1 << 13];
    const index = createPrefixIndex(seededRandom(1), { maxPairs });
    const before = buffers();
    for (let life = 0; life < 3; life++) {
      for (let prefix = 0; prefix < 10_000; prefix++)
        index.add(range((life * 10_000 + prefix) * 10, blocks), prefix % pods);
      expect(index.size).toBeLessThanOrEqual(maxPairs);
      expect(index.size).toBeGreaterThan(maxPairs * 0.9);
      // The latest prefix of each pod is there.
      for (let prefix = 9900; prefix < 10_000; prefix++) {
        expect(matchOf(index, range((life * 10_000 + prefix) * 10, blocks), pods)[prefix % pods]).toBe(blocks);
      }
      for (let pod = 0; pod < pods; pod++) index.purge(pod);
      expect(index.size).toBe(0);
    }
    expect(buffers() - before).toBeLessThan(MIB);
  });
});
