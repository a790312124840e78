import fc from 'fast-check';
import { spliceBody } from '../../../../runtime/body-router/body/splice';
import { bodyFrom, cuts, textOf } from '../fixtures';

test('replaces the spans and keeps every other byte, in any chunks', () => {
  const edges = fc.uniqueArray(fc.nat(20), { minLength: 4, maxLength: 4 }).map((at) => at.sort((a, b) => a - b));
  fc.assert(
    fc.property(edges, fc.string({ maxLength: 5 }), cuts(), ([a, b, c, d], replacement, at) => {
      const text = 'abcdefghijklmnopqrst';
      const spans = [
        { start: a!, end: b! },
        { start: c!, end: d! },
      ];
      const body = spliceBody(bodyFrom(text, at), spans, Buffer.from(replacement));
      const expected = text.slice(0, a) + replacement + text.slice(b, c) + replacement + text.slice(d);
      expect(textOf(body)).toBe(expected);
      expect(body.length).toBe(Buffer.byteLength(expected));
    }),
  );
});

test('copies none of the body', () => {
  const body = bodyFrom('abcdef');
  const [before, , after] = spliceBody(body, [{ start: 2, end: 3 }], Buffer.from('X')).chunks;
  expect(before!.buffer).toBe(body.chunks[0]!.buffer);
  expect(after!.buffer).toBe(body.chunks[0]!.buffer);
});

test('a body of very many chunks can be spliced', () => {
  const chunks = Array.from({ length: 300_000 }, () => Buffer.from('x'));
  const body = spliceBody({ length: chunks.length, chunks }, [{ start: 299_998, end: 299_999 }], Buffer.from('yy'));
  expect(body.length).toBe(300_001);
});
