import { goDurationToMilliseconds } from '../../../../../lib/translate/gateway-state/endpoint-picker-config/go-duration';

test.each([
  ['30s', 30_000],
  ['1m30s', 90_000],
  ['1.5s', 1_500],
  ['.5m', 30_000],
  ['2h', 7_200_000],
  ['250ms', 250],
  ['1us', 1],
  ['0', 0],
  ['0s', 0],
])('%s is %d ms', (text, milliseconds) => {
  expect(goDurationToMilliseconds(text)).toBe(milliseconds);
});

test.each(['', '30', '-1s', '1 s', 's', '1d', '1s1', '.s', `${'1h'.repeat(40)}`])('%j is no duration', (text) => {
  expect(goDurationToMilliseconds(text)).toBeUndefined();
});
