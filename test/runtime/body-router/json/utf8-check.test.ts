import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { Utf8Check } from '../../../../runtime/body-router/json/utf8-check';
import { bodyFrom, cuts } from '../fixtures';

function check(bytes: Buffer, at: readonly number[]) {
  const utf8 = new Utf8Check();
  for (const chunk of bodyFrom(bytes, at).chunks) {
    const fault = utf8.push(chunk);
    if (fault !== undefined) return fault;
  }
  return utf8.end();
}

const pieces = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
  fc.constantFrom(...['c3', 'e2', 'e282', 'f09f', 'f09f98', '80', 'ff', 'c080', 'eda080', 'f5808080', 'e080'].map(hex)),
);

function hex(text: string): Buffer {
  return Buffer.from(text, 'hex');
}

test('accepts exactly the bytes that are UTF-8 as a whole, in any chunks', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 5 }), cuts(), (parts, at) => {
      const bytes = Buffer.concat(parts);
      expect(check(bytes, at) === undefined).toBe(isUtf8(bytes));
    }),
    { numRuns: 2000 },
  );
});

test('reports the start of the code point that is at fault', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), cuts(), (text, at) => {
      const good = Buffer.from(text.toWellFormed());
      expect(check(Buffer.concat([good, hex('ff'), Buffer.from('rest')]), at)?.offset).toBe(good.length);
      expect(check(Buffer.concat([good, hex('e282')]), at)?.offset).toBe(good.length);
    }),
  );
});
