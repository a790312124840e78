import fc from 'fast-check';
import { plainRunEnd } from '../../../../runtime/body-router/json/plain-run';

test('finds the first quote, backslash or control character', () => {
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x7f, 0x80, 0xff));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 40 }), fc.nat(8), (bytes, from) => {
      const buffer = Buffer.from(bytes);
      const first = bytes.findIndex((b, i) => i >= from && (b < 0x20 || b === 0x22 || b === 0x5c));
      const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
      const expected = first < 0 ? Math.max(bytes.length, from) : first;
      expect(plainRunEnd(buffer, view, from, bytes.length)).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});
