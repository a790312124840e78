import fc from 'fast-check';
import { LineSplitter } from '../../../runtime/kubernetes/line-splitter';

test('gives the same lines whatever the pieces', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 }).map((line) => line.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(text), fc.array(fc.nat(40), { minLength: 1 }), (lines, sizes) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      const splitter = new LineSplitter(1_000);
      const got: string[] = [];
      for (let from = 0, turn = 0; from < bytes.length; turn++) {
        const size = Math.max(1, sizes[turn % sizes.length]!);
        got.push(...splitter.push(bytes.subarray(from, from + size)));
        from += size;
      }
      expect(got).toEqual(lines.filter((line) => line !== '').map((line) => Buffer.from(line).toString()));
      expect(splitter.pending).toBe(0);
    }),
  );
});

test('a line that has not ended is pending, and may be as long as the limit', () => {
  const splitter = new LineSplitter(4);
  expect(splitter.push(Buffer.from('ab'))).toEqual([]);
  expect(splitter.push(Buffer.from('cd'))).toEqual([]);
  expect(splitter.pending).toBe(4);
  expect(splitter.push(Buffer.from('\nabcd\n'))).toEqual(['abcd', 'abcd']);

  expect(() => splitter.push(Buffer.from('abcde'))).toThrow(new RangeError('a line is longer than 4 bytes'));
});
