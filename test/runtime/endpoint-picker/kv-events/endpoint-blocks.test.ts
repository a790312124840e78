import { createEndpointBlocks } from '../../../../runtime/endpoint-picker/kv-events/endpoint-blocks';
import type { KvEvent } from '../../../../runtime/endpoint-picker/kv-events/event-batch';
import { createPreciseIndex } from '../../../../runtime/endpoint-picker/prefix/precise-index';
import { blockHashes, rootHash } from '../../../../runtime/endpoint-picker/prefix/token-blocks';

const tokens = Uint32Array.of(1, 2, 3, 4, 5, 6);

function setUp(limits = {}) {
  const index = createPreciseIndex(() => 0.5, limits);
  const blocks = createEndpointBlocks(3, 'base', index);
  const held = (adapter?: string) => {
    const matched = new Int32Array(4);
    index.match(blockHashes(rootHash('base', adapter, 2), tokens, 2, 10), matched);
    return matched[3];
  };
  return { blocks, held };
}

const stored = (from: number, to: number, parent?: number, fields = {}): KvEvent => ({
  type: 'stored',
  hashes: Array.from({ length: to - from }, (_, i) => from + i + 1),
  parent,
  tokens: tokens.subarray(from * 2, to * 2),
  blockTokens: 2,
  adapter: undefined,
  ...fields,
});

test('blocks of several events make one chain, found by the hash of the prompt', () => {
  const { blocks, held } = setUp();
  blocks.apply(stored(0, 1));
  blocks.apply(stored(1, 3, 1));
  expect(held()).toBe(3);
  expect(held('sql')).toBe(0);
  blocks.apply({ type: 'removed', hashes: [3] });
  expect(held()).toBe(2);
});

test('an adapter has blocks of its own', () => {
  const { blocks, held } = setUp();
  blocks.apply(stored(0, 2, undefined, { adapter: 'sql' }));
  expect([held(), held('sql')]).toEqual([0, 2]);
});

test('a block whose parent is not known is left out', () => {
  const { blocks, held } = setUp();
  blocks.apply(stored(1, 3, 1));
  blocks.apply(stored(0, 1));
  expect(held()).toBe(1);
});

test('a block that two requests have computed goes with the second of them', () => {
  const { blocks, held } = setUp();
  blocks.apply(stored(0, 2));
  blocks.apply(stored(1, 2, 1));
  blocks.apply({ type: 'removed', hashes: [2] });
  expect(held()).toBe(2);
  blocks.apply({ type: 'removed', hashes: [2] });
  expect(held()).toBe(1);
});

test('blocks that are told again from the start of the prompt are no copies: they go at once', () => {
  const { blocks, held } = setUp();
  blocks.apply(stored(0, 2));
  blocks.apply(stored(0, 3));
  expect(held()).toBe(3);
  blocks.apply({ type: 'removed', hashes: [3, 2] });
  expect(held()).toBe(1);
});

test('clearing forgets all and makes the knowledge whole', () => {
  const { blocks, held } = setUp();
  blocks.reset(false);
  blocks.apply(stored(0, 2));
  blocks.apply({ type: 'cleared' });
  expect([held(), blocks.complete]).toEqual([0, true]);
});

test('what finds no room, and blocks of another size, make the knowledge partial', () => {
  const full = setUp({ maxBlocksPerEndpoint: 2 });
  full.blocks.reset(true);
  full.blocks.apply(stored(0, 3));
  expect([full.held(), full.blocks.complete]).toEqual([2, false]);

  const other = setUp();
  other.blocks.reset(true);
  other.blocks.apply(stored(0, 1));
  other.blocks.apply(stored(1, 2, 1, { blockTokens: 4, hashes: [9], tokens: tokens.subarray(0, 4) }));
  expect([other.held(), other.blocks.complete]).toEqual([1, false]);
});
