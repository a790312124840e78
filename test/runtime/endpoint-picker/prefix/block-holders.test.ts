import fc from 'fast-check';
import {
  type BlockHolders,
  createBlockHolders,
  MAX_ENDPOINTS,
} from '../../../../runtime/endpoint-picker/prefix/block-holders';
import { seededRandom } from '../support/fixtures';

function holdersOf(holders: BlockHolders, hash: number): number[] {
  const matched = new Int32Array(MAX_ENDPOINTS);
  holders.match([hash], matched);
  return [...matched.keys()].filter((endpoint) => matched[endpoint] === 1);
}

function add(holders: BlockHolders, hash: number, endpoint: number): number {
  return holders.add(holders.find(hash, 0), hash, endpoint);
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
            holders.remove(holders.find(hash, 0), id);
          } else if (!held.has(id)) {
            held.add(id);
            add(holders, hash, id);
          }
        }
        for (const [hash, held] of model) {
          expect(holdersOf(holders, hash)).toEqual([...held].sort((a, b) => a - b));
          const block = holders.find(hash, 0);
          expect(block !== 0).toBe(held.size > 0);
          if (block === 0) continue;
          for (const { endpoint: id } of steps) expect(holders.holds(block, id)).toBe(held.has(id));
        }
      }),
      { numRuns: 100 },
    );
  });

  test('take no more memory than one record each, however often they come and go', () => {
    const holders = createBlockHolders(40, seededRandom(1));
    const endpoints = Array.from({ length: 20 }, (_, i) => i * 3000);
    for (let round = 0; round < 50; round++) {
      const blocks = endpoints.map((endpoint) => [add(holders, round, endpoint), add(holders, 1000 + round, endpoint)]);
      expect(Math.max(...blocks.flat())).toBeLessThanOrEqual(40);
      expect(holdersOf(holders, round)).toEqual(endpoints);
      endpoints.forEach((endpoint, i) => {
        for (const block of blocks[i]!) holders.remove(block, endpoint);
      });
    }
  });

  test('are matched along a prompt, each as far as it holds every block', () => {
    const holders = createBlockHolders(1000, seededRandom(1));
    const prompt = [11, 12, 13, 14];
    for (let endpoint = 0; endpoint < 30; endpoint++) {
      prompt.forEach((hash, block) => {
        if (block !== endpoint % 5) add(holders, hash, endpoint);
      });
    }
    const matched = new Int32Array(30);
    holders.match(prompt, matched);
    expect([...matched]).toEqual(Array.from({ length: 30 }, (_, endpoint) => endpoint % 5));
  });

  test('are matched as far as each holds every block, whatever each holds and in whatever order they came', () => {
    const endpoint = fc.oneof(fc.nat(15), fc.integer({ min: 180, max: 200 }), fc.nat(MAX_ENDPOINTS - 1));
    const prompt = [21, 22, 23, 24, 25, 26];
    // Most hold the same blocks, some have a hole or come to a block in another order.
    const holding = fc.record({
      endpoint,
      length: fc.constantFrom(6, 6, 6, 4, 1),
      hole: fc.nat(20),
      early: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(holding, { maxLength: 40, selector: (each) => each.endpoint }), (holdings) => {
        const holders = createBlockHolders(1000, seededRandom(1));
        for (const { endpoint: id, early } of holdings) if (early) add(holders, prompt[3]!, id);
        for (const { endpoint: id, length, hole, early } of holdings) {
          for (let block = length - 1; block >= 0; block--)
            if (block !== hole && !(early && block === 3)) add(holders, prompt[block]!, id);
        }
        const matched = new Int32Array(MAX_ENDPOINTS);
        holders.match(prompt, matched);
        for (const { endpoint: id, length, hole, early } of holdings) {
          const holds = (block: number) => (block < length && block !== hole) || (early && block === 3);
          const missing = prompt.findIndex((_, block) => !holds(block));
          expect(matched[id]).toBe(missing < 0 ? prompt.length : missing);
          matched[id] = 0;
        }
        expect(matched.every((length) => length === 0)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('are told apart where many hold both blocks, and only the last one differs', () => {
    const holders = createBlockHolders(100, seededRandom(1));
    for (let endpoint = 0; endpoint < 9; endpoint++) for (const hash of [31, 32]) add(holders, hash, endpoint);
    add(holders, 31, 9);
    add(holders, 32, 10);
    const matched = new Int32Array(11);
    holders.match([31, 32], matched);
    expect([...matched]).toEqual([2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0]);
  });

  test('are found by a right guess and by a wrong one, also when the guess is no block or a former one', () => {
    const holders = createBlockHolders(100, seededRandom(1));
    for (let endpoint = 0; endpoint < 9; endpoint++) add(holders, 0, endpoint);
    const gone = add(holders, 3, 1);
    const block = add(holders, 2, 1);
    holders.remove(gone, 1);
    for (let guess = 0; guess < 20; guess++) {
      expect(holders.find(2, guess)).toBe(block);
      expect(holders.find(0, guess)).toBe(1);
      expect(holders.find(3, guess)).toBe(0);
    }
  });
});
