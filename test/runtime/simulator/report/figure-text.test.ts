import {
  numberText,
  percentText,
  rateText,
  secondsText,
  shareText,
} from '../../../../runtime/simulator/report/figure-text';

test('times have three digits and the unit that suits them', () => {
  expect([0.0123, 0.0875, 0.9994, 4.712, 31.28, 312.4].map(secondsText)).toEqual([
    '12.3 ms',
    '87.5 ms',
    '999 ms',
    '4.71 s',
    '31.3 s',
    '312 s',
  ]);
});

test('changes carry their sign and interval', () => {
  expect(percentText(-94.24, 1.31)).toBe('-94.2 ±1.3');
  expect(percentText(8.06, 0.5)).toBe('+8.1 ±0.5');
  expect(percentText(1234.5, 100)).toBe('+1235 ±100');
  expect(percentText(12, 3, false)).toBe('12.0 ±3.0');
  expect(percentText(-97, null)).toBe('-97.0');
});

test('what rounds to nought has no sign', () => {
  expect([percentText(-0.04, null), percentText(0.04, 1), percentText(0, 0)]).toEqual(['0.0', '0.0 ±1.0', '0.0 ±0.0']);
});

test('rates end in no noughts', () => {
  expect([100, 12, 7.1, 0.5, 16.25].map(rateText)).toEqual(['100', '12', '7.1', '0.5', '16.25']);
});

test('a share is told in per cent', () => {
  expect([0, 0.3661, 1].map(shareText)).toEqual(['0.0 %', '36.6 %', '100 %']);
});

test('numbers have three digits, or all before the point', () => {
  expect([0, 0.0042, 9.126, 1234.6].map(numberText)).toEqual(['0.00', '0.004', '9.13', '1235']);
});

test('what is not known is a dash', () => {
  expect([secondsText(null), numberText(null), percentText(null, null), shareText(null)]).toEqual(['—', '—', '—', '—']);
});
