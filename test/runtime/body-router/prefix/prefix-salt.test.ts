import fc from 'fast-check';
import { prefixSalt } from '../../../../runtime/body-router/prefix/prefix-salt';

const part = () => fc.string({ unit: fc.constantFrom('0', '1', ':', 'a', '\n'), maxLength: 4 });
const parts = () => fc.record({ baseModel: fc.option(part(), { nil: '' }), model: part(), cacheSalt: part() });
const saltOf = ({ baseModel, model, cacheSalt }: { baseModel: string; model: string; cacheSalt: string }) =>
  prefixSalt({ scheduler: 'ns/a', namespace: 'ns', known: true, baseModel, model }, cacheSalt);

test('two requests have one salt only where base model, model and cache salt are the same', () => {
  fc.assert(
    fc.property(parts(), parts(), (one, other) => {
      expect(saltOf(one) === saltOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 2000 },
  );
});
