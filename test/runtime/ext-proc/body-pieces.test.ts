import fc from 'fast-check';
import { bodyPieces } from '../../../runtime/ext-proc/body-pieces';

test('the pieces are the body in order, all of them full but the last, and views of its chunks', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 12 }), fc.integer({ min: 1, max: 40 }), (lengths, max) => {
      const chunks = lengths.map((length, index) => Buffer.alloc(length, index));
      const body = { length: lengths.reduce((sum, length) => sum + length, 0), chunks };
      const pieces = bodyPieces(body, max);
      expect(Buffer.concat(pieces.flatMap((piece) => piece.chunks)).equals(Buffer.concat(chunks))).toBe(true);
      expect(pieces.slice(0, -1).every(({ length }) => length === max)).toBe(true);
      const last = pieces.at(-1)?.length ?? 1;
      expect(last > 0 && last <= max).toBe(true);
      for (const piece of pieces) {
        expect(piece.chunks.reduce((sum, { length }) => sum + length, 0)).toBe(piece.length);
      }
    }),
  );
});

test('an empty body has no pieces', () => {
  expect(bodyPieces({ length: 0, chunks: [] }, 10)).toEqual([]);
});
