import * as fc from 'fast-check';
import { durationSchema, durationToMilliseconds } from '../../../../lib/api/schema/duration';

test.each([
  ['0s', 0],
  ['30s', 30_000],
  ['1h30m', 5_400_000],
  ['500ms', 500],
  ['1m1ms', 60_001],
  ['99999h', 359_996_400_000],
])('%s is %i ms', (text, milliseconds) => {
  expect(durationToMilliseconds(text)).toBe(milliseconds);
});

test.each(['', '30', '1.5s', '-1s', '1d', '100000s', '1h1m1s1ms1s', ' 1s', '1s\n'])('%j is no duration', (text) => {
  expect(durationToMilliseconds(text)).toBeUndefined();
});

test('the schema accepts what has milliseconds, and nothing else', () => {
  const piece = fc
    .tuple(fc.nat(100_000), fc.constantFrom('h', 'm', 's', 'ms', ''))
    .map(([amount, unit]) => `${amount}${unit}`);
  void fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join('')),
      (text) => {
        expect(durationSchema.safeParse(text).success).toBe(durationToMilliseconds(text) !== undefined);
      },
    ),
  );
});
