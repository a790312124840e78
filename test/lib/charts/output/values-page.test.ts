import { valuesPage } from '../../../../lib/charts/output/values-page';
import { completeValues } from '../../../../lib/charts/values/complete-values';
import { installValuesNode } from '../../../../lib/charts/values/install-values';
import { valueNodes } from '../../../../lib/charts/values/sections';

test('every value has a line with its default and a sentence', () => {
  const lines = valuesPage(installValuesNode, completeValues({})).split('\n');

  expect(lines).toContain('| `controller.replicas` | integer | `2` | Number of pods. |');
  for (const { path } of valueNodes(installValuesNode)) {
    expect(lines.find((line) => line.startsWith(`| \`${path}\` |`))).toMatch(/\| [A-Z][^|]+\.[^|]* \|$/);
  }
});
