import { expose } from '../../../../../runtime/simulator/model-server/metrics/exposition';

const value = (number: number) =>
  expose([{ name: 'n', type: 'gauge', help: 'h', samples: [{ labels: {}, value: number }] }])
    .split('\n')[2]!
    .slice(2);

test('numbers look as in Python and read back exactly', () => {
  expect(value(1)).toBe('1.0');
  expect(value(1_795_985_582.477)).toBe('1.795985582477e+09');
  expect(value(1_000_000)).toBe('1e+06');
  expect(value(Number.POSITIVE_INFINITY)).toBe('+Inf');
  for (const number of [0, 0.1, 12.5, 123_456, 1_234_567, 98_765_432.1, 1e12])
    expect(Number(value(number))).toBe(number);
});

test('label values are escaped', () => {
  const page = expose([{ name: 'n', type: 'gauge', help: 'h', samples: [{ labels: { l: 'a"b\\c\nd' }, value: 0 }] }]);
  expect(page).toContain('n{l="a\\"b\\\\c\\nd"} 0.0');
});
