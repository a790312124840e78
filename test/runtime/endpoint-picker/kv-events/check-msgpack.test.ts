import { encode } from '@msgpack/msgpack';
import fc from 'fast-check';
import { checkMsgpack, MalformedEvents } from '../../../../runtime/endpoint-picker/kv-events/check-msgpack';

test('it takes whatever an encoder writes', () => {
  const leaf = fc.oneof(fc.integer(), fc.double(), fc.string(), fc.boolean(), fc.constant(null), fc.uint8Array());
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('any')), fc.dictionary(fc.string(), tie('any'))),
  })).any;
  fc.assert(fc.property(value, (any) => expect(() => checkMsgpack(encode(any))).not.toThrow()));
  const long = [new Array(70_000).fill(1), 'x'.repeat(70_000), new Uint8Array(70_000), 'y'.repeat(300)];
  expect(() => checkMsgpack(encode(long))).not.toThrow();
});

test('it refuses every beginning of a value that is cut off', () => {
  const bytes = encode([1.5, [{ type: 'AllBlocksCleared', list: [1, 70_000, 'text'] }], null]);
  for (let length = 0; length < bytes.length; length++) {
    expect(() => checkMsgpack(bytes.subarray(0, length))).toThrow(MalformedEvents);
  }
});

test('it refuses arrays that promise more than the bytes hold, however nested', () => {
  const header = [0xdd, 0x00, 0x0f, 0xff, 0xff];
  const bomb = Uint8Array.from({ length: 100_000 }, (_, i) => header[i % 5]!);
  expect(() => checkMsgpack(bomb)).toThrow(MalformedEvents);
});

test('it throws nothing else, whatever the bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        checkMsgpack(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedEvents);
      }
    }),
    { numRuns: 500 },
  );
});
