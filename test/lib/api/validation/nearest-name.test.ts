import * as fc from 'fast-check';
import { nearestName } from '../../../../lib/api/validation/nearest-name';

test.each([
  ['replica', 'replicas'],
  ['Replicas', 'replicas'],
  ['wieghts', 'weights'],
  ['targetport', 'targetPort'],
  ['kvcahce', 'kvCache'],
])('%s was meant to be %s', (name, expected) => {
  expect(nearestName(name, ['replicas', 'weights', 'targetPort', 'kvCache'])).toBe(expected);
});

test.each(['image', 'x', ''])('%j is near nothing', (name) => {
  expect(nearestName(name, ['replicas', 'weights', 'targetPort'])).toBeUndefined();
});

test('a name of any length is answered at once, with a known name or none', () => {
  const known = ['replicas', 'weights'];
  void fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (name) => {
      const near = nearestName(name, known);
      expect(near === undefined || known.includes(near)).toBe(true);
    }),
  );
});
