import fc from 'fast-check';
import { nameTable } from '../../../../runtime/endpoint-picker/endpoints/name-table';

describe('a name table', () => {
  const names = ['ab_sum', 'ab_sum_total', 'ab_count', 'abc', 'xy'];
  const table = nameTable(names);

  test.each([
    ['ab_sum 1', 'ab_sum'],
    ['ab_sum{a="b"} 1', 'ab_sum'],
    ['ab_sum\t1', 'ab_sum'],
    ['ab_sum_total 1', 'ab_sum_total'],
    ['xy 1', 'xy'],
    ['ab_sums 1', undefined],
    ['ab_sum', undefined],
    ['ab', undefined],
    ['', undefined],
  ])('finds in %j the name %j', (line, name) => {
    expect(names[table.at(Buffer.from(line), 0)]).toBe(name);
  });

  test('finds every name and no other, whatever they have in common', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '_', 'A'), minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 12 }), name, fc.nat(3), (wanted, tried, offset) => {
        const found = nameTable(wanted).at(Buffer.from(`${'a'.repeat(offset)}${tried} 1`), offset);
        expect(found >= 0).toBe(wanted.includes(tried));
      }),
    );
  });
});
