import { installValuesNode } from '../../../lib/charts/values/install-values';
import { valueNodes } from '../../../lib/charts/values/sections';
import { changes } from './changes';
import { deepMerge } from './deep-merge';
import { chartObjects } from './objects';
import { VALUE_CHANGES, valuesWith } from './value-changes';

test('every value is in the table, once', () => {
  const paths = VALUE_CHANGES.map(({ path }) => path).sort();

  expect(paths).toEqual(
    valueNodes(installValuesNode)
      .map(({ path }) => path)
      .sort(),
  );
});

test.each(VALUE_CHANGES)('$path changes its fields and no others', (change) => {
  const { beside = {} } = change;

  const found = changes(chartObjects(beside), chartObjects(deepMerge(beside, valuesWith(change))));

  expect(found.sort()).toEqual([...change.changes].sort());
});
