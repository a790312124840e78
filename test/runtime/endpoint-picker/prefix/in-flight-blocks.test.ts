import { createInFlightBlocks } from '../../../../runtime/endpoint-picker/prefix/in-flight-blocks';

const random = () => 0.5;

function matchOf(blocks: ReturnType<typeof createInFlightBlocks>, hashes: readonly number[]): number[] {
  const matched = new Int32Array(4);
  blocks.match(hashes, matched);
  return [...matched];
}

test('blocks are held until the last request with them is over', () => {
  const blocks = createInFlightBlocks(random);
  const first = blocks.enter(1, [10, 11, 12]);
  const second = blocks.enter(1, [10, 11]);
  expect(matchOf(blocks, [10, 11, 12])).toEqual([0, 3, 0, 0]);
  first();
  first();
  expect(matchOf(blocks, [10, 11, 12])).toEqual([0, 2, 0, 0]);
  second();
  expect(matchOf(blocks, [10, 11, 12])).toEqual([0, 0, 0, 0]);
});

test('a request of an endpoint that is gone takes nothing from the next with its number', () => {
  const blocks = createInFlightBlocks(random);
  const former = blocks.enter(2, [10]);
  blocks.clear(2);
  expect(matchOf(blocks, [10])[2]).toBe(0);
  blocks.enter(2, [10]);
  former();
  expect(matchOf(blocks, [10])[2]).toBe(1);
});

test('what finds no room is left out', () => {
  const blocks = createInFlightBlocks(random, 3);
  blocks.enter(0, [1, 2]);
  const leave = blocks.enter(1, [1, 2]);
  expect(matchOf(blocks, [1, 2])).toEqual([2, 0, 0, 0]);
  leave();
  expect(matchOf(blocks, [1, 2])).toEqual([2, 0, 0, 0]);
});
