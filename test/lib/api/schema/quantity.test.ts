import fc from 'fast-check';
import { byteCountSchema, quantityToCount } from '../../../../lib/api/schema/quantity';

test.each<[unknown, number]>([
  [1, 1],
  ['1048576', 1_048_576],
  ['256Mi', 268_435_456],
  ['1Gi', 1_073_741_824],
  ['500M', 500_000_000],
  ['1k', 1000],
  ['1.5Ki', 1536],
  ['.5Gi', 536_870_912],
  ['1e9', 1_000_000_000],
  ['0.5', 1],
  ['999999999999999Ei', Number.MAX_SAFE_INTEGER],
])('%j is %d', (quantity, count) => {
  expect(quantityToCount(quantity)).toBe(count);
  expect(byteCountSchema.safeParse(quantity).success).toBe(true);
});

test.each([0, -1, 1.5, '0', '0Mi', '0.0', '-1', '500m', '1K', '1 Gi', '1gi', 'Gi', '', '1e', null])(
  '%j is no count',
  (quantity) => {
    expect(quantityToCount(quantity)).toBeUndefined();
    expect(byteCountSchema.safeParse(quantity).success).toBe(false);
  },
);

test('every text that the schema takes is a whole number above 0', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9.]{1,6}(k|[KMGTPE]i?|e[0-9])?$/), (text) => {
      const count = quantityToCount(text);
      expect(byteCountSchema.safeParse(text).success).toBe(count !== undefined);
      if (count !== undefined) expect(Number.isSafeInteger(count) && count > 0).toBe(true);
    }),
  );
});
