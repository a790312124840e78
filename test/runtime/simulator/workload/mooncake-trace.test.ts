import fc from 'fast-check';
import { readMooncakeTrace } from '../../../../runtime/simulator/workload/mooncake-trace';

const line = (timestamp: number, input_length: number, hash_ids: number[], output_length = 5): string =>
  JSON.stringify({ timestamp, input_length, output_length, hash_ids });
const read = (...lines: string[]) => [...readMooncakeTrace(lines)];

/** How many leading items two lists share. */
function common(one: ArrayLike<number>, other: ArrayLike<number>): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count++;
  return count;
}

test('milliseconds become seconds from the first request, and sizes are as written', () => {
  const [first, second] = read(line(3000, 600, [0, 1], 7), '', line(4500, 10, [2]));
  expect(first).toMatchObject({ at: 0, promptTokens: 600, outputTokens: 7 });
  expect(second).toMatchObject({ at: 1.5, promptTokens: 10 });
});

test('a prompt has the ids of its whole blocks, of 16 tokens for the engine and of 64 for the picker', () => {
  const [request] = read(line(0, 1000, [0, 1]));
  expect(request!.blocks).toHaveLength(62);
  expect(request!.prefixHashes).toHaveLength(15);
});

test('prompts share as many blocks as their leading hash ids say, and those beyond the ids are private', () => {
  const [one, other] = read(line(0, 2048, [7, 8, 9, 10]), line(0, 2048, [7, 8, 11, 10]));
  // The last id is the same again, which chained ids of a trace never are after a difference.
  expect(common(one!.blocks, other!.blocks)).toBe(64);
  expect(common(one!.prefixHashes, other!.prefixHashes)).toBe(16);
  const [short, again] = read(line(0, 2048, [7]), line(0, 2048, [7]));
  expect(short!.blocks).toHaveLength(32);
  expect(common(short!.prefixHashes, again!.prefixHashes)).toBe(8);
  expect(again!.prefixHashes).toHaveLength(32);
});

test('the picker is given 512 hashes at most', () => {
  const ids = Array.from({ length: 200 }, (_, index) => index);
  expect(read(line(0, 102_400, ids))[0]!.prefixHashes).toHaveLength(512);
});

test.each([
  ['{"timestamp": 0', /^line 1: expected a JSON object such as/],
  ['{"timestamp":0,"input_length":0,"output_length":1,"hash_ids":[]}', /^line 1: .*input_length/],
  ['{"timestamp":0,"input_length":5,"output_length":1,"hash_ids":["x"]}', /^line 1: .*hash_ids\.0/],
])('%s is refused with what is expected', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('a line that is out of order is named', () => {
  expect(() => read(line(5, 1, []), line(4, 1, []))).toThrow(/^line 2: .*sort the file by time/);
});

test('equal leading ids give equal blocks and different ones different blocks, whatever the ids', () => {
  const ids = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      const [left, right] = read(line(0, one.length * 512, one), line(0, other.length * 512, other));
      expect(common(left!.blocks, right!.blocks)).toBe(common(one, other) * 32);
      expect(common(left!.prefixHashes, right!.prefixHashes)).toBe(common(one, other) * 8);
    }),
  );
});

test('any line either is a request or an error that numbers it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ minLength: 1 }), fc.json()), (text) => {
      expect(() => read(text)).toThrow(/^line 1: expected a JSON object such as/);
    }),
  );
});
