import fc from 'fast-check';
import { cutText } from '../../../runtime/kubernetes/cut-text';

test('what fits stays as it is', () => {
  expect(cutText('größe', 7)).toBe('größe');
});

test('what does not fit is cut between characters', () => {
  expect(cutText('größe', 6)).toBe('gr…');
  expect(cutText('a😀b', 5)).toBe('a…');
});

test('is never longer than allowed, and always text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 3, max: 40 }), (text, max) => {
      const cut = cutText(text, max);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
      expect(text.startsWith(cut.replace(/…$/, '')) && cut.isWellFormed()).toBe(true);
    }),
  );
});
