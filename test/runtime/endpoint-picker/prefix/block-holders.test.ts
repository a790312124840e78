import fc from 'fast-check';
import {
  type BlockHolders,
  createBlockHolders,
  MAX_ENDPOINTS,
} from '../../../../runtime/endpoint-picker/prefix/block-holders';
import { seededRandom } from '../support/fixtures';

function holdersOf(holders: BlockHolders, hash: number): number[] {
  const matched = new Int32Array(MAX_ENDPOINTS);
  holders.extend(hash, 0, matched);
  return [...matched.keys()].filter((endpoint) => matched[endpoint] === 1);
}

describe('the holders of a block', () => {
  test('are those that were added and not removed, few or many, near or far', () => {
    const endpoint = fc.oneof(fc.nat(20), fc.nat(MAX_ENDPOINTS - 1));
    const step = fc.record({ hash: fc.constantFrom(7, 8, 2 ** 52 + 8), endpoint, removes: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const holders = createBlockHolders(120, seededRandom(1));
        const model = new Map<number, Set<number>>();
        for (const { hash, endpoint: id, removes } of steps) {
          const held = model.get(hash) ?? new Set();
          model.set(hash, held);
          if (held.has(id) && removes) {
            held.delete(id);
            holders.remove(holders.find(hash), id);
          } else if (!held.has(id)) {
            held.add(id);
            holders.add(hash, id);
          }
        }
        for (const [hash, held] of model) {
          expect(holdersOf(holders, hash)).toEqual([...held].sort((a, b) => a - b));
          expect(holders.find(hash) !== 0).toBe(held.size > 0);
        }
      }),
      { numRuns: 100 },
    );
  });

  test('take no more memory than one record each, however often they come and go', () => {
    const holders = createBlockHolders(40, seededRandom(1));
    const endpoints = Array.from({ length: 20 }, (_, i) => i * 3000);
    for (let round = 0; round < 50; round++) {
      const blocks = endpoints.map((endpoint) => [holders.add(round, endpoint), holders.add(1000 + round, endpoint)]);
      expect(Math.max(...blocks.flat())).toBeLessThanOrEqual(40);
      expect(holdersOf(holders, round)).toEqual(endpoints);
      endpoints.forEach((endpoint, i) => {
        for (const block of blocks[i]!) holders.remove(block, endpoint);
      });
    }
  });

  test('that match so far are extended, the others are not', () => {
    const holders = createBlockHolders(100, seededRandom(1));
    for (let endpoint = 0; endpoint < 30; endpoint++) holders.add(5, endpoint);
    const matched = Int32Array.from({ length: 30 }, (_, i) => i % 3);
    expect(holders.extend(5, 2, matched)).toBe(true);
    expect([...matched]).toEqual(Array.from({ length: 30 }, (_, i) => (i % 3 === 2 ? 3 : i % 3)));
    expect(holders.extend(5, 7, matched)).toBe(false);
  });
});
