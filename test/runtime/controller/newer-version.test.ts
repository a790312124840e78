import fc from 'fast-check';
import { isNewer } from '../../../runtime/controller/newer-version';

test('versions are compared as numbers of any length', () => {
  const version = fc.bigInt({ min: 1n, max: 10n ** 30n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(isNewer(String(a), String(b))).toBe(a > b);
    }),
  );
});

test('one that is missing is the oldest', () => {
  expect(isNewer('1', undefined)).toBe(true);
  expect(isNewer(undefined, '1')).toBe(false);
  expect(isNewer(undefined, undefined)).toBe(false);
});
