import fc from 'fast-check';
import { shortName } from '../../../../lib/translate/cluster/short-name';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const objectName = fc
  .stringMatching(/^[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?$/)
  .filter((name) => !/\.-|-\.|\.\./.test(name));
const ending = fc.constantFrom(undefined, 'epp', 'bbr', 'epp-0123456789');

test('a name that may be a label stays as it is', () => {
  expect(shortName('llama')).toBe('llama');
  expect(shortName('llama', 'epp')).toBe('llama-epp');
  expect(shortName('a'.repeat(59), 'epp')).toBe(`${'a'.repeat(59)}-epp`);
});

test('a longer one keeps its beginning and its ending', () => {
  expect(shortName('a'.repeat(60), 'epp')).toMatch(/^a{48}-[0-9a-f]{10}-epp$/);
  expect(shortName('team.gateway')).toMatch(/^team-gateway-[0-9a-f]{10}$/);
});

test('whatever the name, it may be a label', () => {
  fc.assert(
    fc.property(objectName, ending, (name, end) => {
      const short = shortName(name, end);
      expect(short.length).toBeLessThanOrEqual(63);
      expect(short).toMatch(LABEL);
    }),
  );
});

test('two names never become one', () => {
  fc.assert(
    fc.property(fc.uniqueArray(objectName, { minLength: 2, maxLength: 20 }), ending, (names, end) => {
      expect(new Set(names.map((name) => shortName(name, end))).size).toBe(names.length);
    }),
  );
});
