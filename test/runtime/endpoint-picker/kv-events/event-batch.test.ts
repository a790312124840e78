import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { MalformedEvents } from '../../../../runtime/endpoint-picker/kv-events/check-msgpack';
import { decodeBatch } from '../../../../runtime/endpoint-picker/kv-events/event-batch';
import {
  REMOVED_WITH_DIGEST,
  STORED_FOR_ADAPTER,
  STORED_WITH_DIGESTS,
  STORED_WITH_SALT,
} from './support/vllm-messages';

const STORED = {
  type: 'BlockStored',
  block_hashes: [7, 8],
  parent_block_hash: 6,
  token_ids: [1, 2, 3, 4],
  block_size: 2,
  lora_id: null,
  medium: 'GPU',
  lora_name: null,
};

const decodeEvents = (...events: unknown[]) => decodeBatch(encode([1.5, events]));

test('maps and arrays with a tag, with and without the later fields, say the same', () => {
  const expected = [
    {
      type: 'stored',
      hashes: [7, 8],
      parent: 6,
      tokens: Uint32Array.of(1, 2, 3, 4),
      blockTokens: 2,
      adapter: undefined,
    },
  ];
  expect(decodeEvents(STORED)).toEqual(expected);
  expect(decodeEvents(['BlockStored', [7, 8], 6, [1, 2, 3, 4], 2, null])).toEqual(expected);
  expect(decodeEvents(['BlockStored', [7, 8], 6, [1, 2, 3, 4], 2, null, 'GPU', null])).toEqual(expected);
  expect(decodeBatch(encode({ ts: 1.5, events: [STORED], data_parallel_rank: 0 }))).toEqual(expected);
});

test('removals and clearing come in both shapes', () => {
  const expected = [{ type: 'removed', hashes: [7] }, { type: 'cleared' }];
  expect(decodeEvents(['BlockRemoved', [7]], ['AllBlocksCleared'])).toEqual(expected);
  expect(decodeEvents({ type: 'BlockRemoved', block_hashes: [7] }, { type: 'AllBlocksCleared' })).toEqual(expected);
});

test('hashes of 64 bits and digests of 32 bytes are told apart', () => {
  const wide = encode([1.5, [['BlockRemoved', [0xffff_ffff_ffff_ffffn, 0xffff_ffff_0000_0000n]]]], {
    useBigInt64: true,
  });
  const digests = decodeEvents(['BlockRemoved', [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]]);
  for (const [event] of [decodeBatch(wide), digests]) {
    const { hashes } = event as { readonly hashes: readonly number[] };
    expect(new Set(hashes).size).toBe(2);
    expect(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0)).toBe(true);
  }
});

test('an adapter is known by name; one that has only a number is left out', () => {
  expect(decodeEvents({ ...STORED, lora_id: 3, lora_name: 'sql' })).toMatchObject([{ adapter: 'sql' }]);
  expect(decodeEvents({ ...STORED, lora_id: 3 })).toEqual([]);
  expect(decodeEvents(['BlockStored', [7], null, [1, 2], 2, 3])).toEqual([]);
});

test('blocks are taken up to the first that depends on more than tokens and adapter', () => {
  const salted = { ...STORED, extra_keys: [null, ['salt']] };
  expect(decodeEvents(salted)).toMatchObject([{ hashes: [7], tokens: Uint32Array.of(1, 2) }]);
  expect(decodeEvents({ ...STORED, extra_keys: [['salt'], null] })).toEqual([]);
  expect(decodeEvents({ ...STORED, lora_name: 'sql', extra_keys: [['sql'], ['sql']] })).toMatchObject([
    { hashes: [7, 8] },
  ]);
});

test('a salt that reads as the adapter is a salt', () => {
  expect(decodeEvents({ ...STORED, lora_name: 'sql', extra_keys: [['sql', 'sql'], ['sql']] })).toEqual([]);
});

test('the events of vLLM 0.32.0 are read', () => {
  const tokens = (from: number, step: number, count: number) =>
    Uint32Array.from({ length: count }, (_, i) => from + i * step);
  expect(decodeBatch(STORED_FOR_ADAPTER)).toEqual([
    {
      type: 'stored',
      hashes: [expect.any(Number)],
      parent: undefined,
      tokens: tokens(20, 1, 128),
      blockTokens: 128,
      adapter: 'a1',
    },
  ]);
  expect(decodeBatch(STORED_WITH_SALT)).toEqual([]);
  expect(decodeBatch(STORED_WITH_DIGESTS)).toEqual([
    {
      type: 'stored',
      hashes: [expect.any(Number)],
      parent: expect.any(Number),
      tokens: tokens(20, 7, 32),
      blockTokens: 32,
      adapter: undefined,
    },
  ]);
  expect(decodeBatch(REMOVED_WITH_DIGEST)).toEqual([{ type: 'removed', hashes: [expect.any(Number)] }]);
});

test('other media, other cache groups and unknown events are passed over', () => {
  expect(
    decodeEvents(
      { ...STORED, medium: 'CPU' },
      { type: 'BlockRemoved', block_hashes: [7], medium: 'CPU' },
      { ...STORED, group_idx: 1 },
      { type: 'BlockPinned' },
    ),
  ).toEqual([]);
});

test.each([
  ['no msgpack', Uint8Array.of(0xc1)],
  ['no batch', encode('hello')],
  ['no events', encode([1.5, 'hello'])],
  ['an event without a type', encode([1.5, [{}]])],
  ['too few tokens', encode([1.5, [{ ...STORED, token_ids: [1] }]])],
  ['a block size of nothing', encode([1.5, [{ ...STORED, block_size: 0, token_ids: [] }]])],
  ['an enormous block size', encode([1.5, [{ ...STORED, block_size: 1e9 }]])],
  ['hashes that are no list', encode([1.5, [{ ...STORED, block_hashes: 7 }]])],
  ['a hash that is text', encode([1.5, [['BlockRemoved', ['x']]]])],
  ['a hash that is no number', encode([1.5, [['BlockRemoved', [Number.NaN]]]])],
  ['an adapter that is a list', encode([1.5, [{ ...STORED, lora_name: [] }]])],
])('%s is malformed', (_what, payload) => {
  expect(() => decodeBatch(payload)).toThrow(MalformedEvents);
});

test('any bytes and any values are read or malformed', () => {
  const field = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.array(fc.integer()), fc.double());
  const event = fc.record(
    {
      type: fc.constantFrom('BlockStored', 'BlockRemoved'),
      block_hashes: field,
      token_ids: field,
      block_size: field,
      extra_keys: field,
    },
    { requiredKeys: ['type'] },
  );
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.array(event).map((events) => encode([0, events])),
  );
  fc.assert(
    fc.property(payload, (bytes) => {
      try {
        decodeBatch(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedEvents);
      }
    }),
    { numRuns: 300 },
  );
});
