import fc from 'fast-check';
import { compareReleases } from '../../../../runtime/controller/crds/release-order';

test.each([
  ['v1.6.1', 'v1.6.1', 0],
  ['v1.6.1', 'v1.10.0', -1],
  ['v2.0.0', 'v1.99.99', 1],
  ['v1.6.0-rc.2', 'v1.6.0', -1],
  ['v1.6.0-rc.10', 'v1.6.0-rc.9', 1],
  ['0.1.0', 'v0.1.0', 0],
])('%s against %s', (a, b, expected) => {
  expect(Math.sign(compareReleases(a, b)!)).toBe(expected);
});

test.each(['main-dev', 'v0.0.0-dev', 'v1.6', 'latest', '', 'v1.6.1+build'])('%j is no release', (text) => {
  expect(compareReleases(text, 'v1.6.1')).toBeUndefined();
  expect(compareReleases('v1.6.1', text)).toBeUndefined();
});

test('it is an order', () => {
  const number = fc.nat({ max: 12 });
  const candidate = fc.constantFrom('', '-rc.1', '-rc.2', '-alpha.3', '-beta');
  const release = fc.tuple(number, number, number, candidate).map(([a, b, c, d]) => `v${a}.${b}.${c}${d}`);
  fc.assert(
    fc.property(release, release, release, (a, b, c) => {
      const order = (x: string, y: string) => Math.sign(compareReleases(x, y)!);
      expect(order(a, b)).toBe(-order(b, a) + 0);
      expect(order(a, b) === 0).toBe(a === b);
      if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});
