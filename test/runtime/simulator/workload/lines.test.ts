import fc from 'fast-check';
import { linesOf } from '../../../../runtime/simulator/workload/lines';

test('lines end at either kind of line end, and the last one needs none', () => {
  expect([...linesOf('a\nb\r\n\nc')]).toEqual(['a', 'b', '', 'c']);
  expect([...linesOf('a\n')]).toEqual(['a']);
  expect([...linesOf('')]).toEqual([]);
});

test('lines joined again are the text', () => {
  fc.assert(
    fc.property(fc.array(fc.string().filter((line) => !/[\r\n]/.test(line))), (lines) => {
      const text = lines.map((line) => `${line}\n`).join('');
      expect([...linesOf(text)]).toEqual(lines);
    }),
  );
});
