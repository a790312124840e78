import type { GeneratedFile } from '../api/generate';
import { typescriptInterfaces } from '../api/typescript-interfaces';
import { helmChartFiles } from './output/helm-chart';
import { manifestFiles } from './output/manifests';
import { valuesPage } from './output/values-page';
import { completeValues } from './values/complete-values';
import { installValuesNode } from './values/install-values';

/** Every file that is derived from the charts. */
export function chartFiles(): GeneratedFile[] {
  return [
    { path: 'lib/charts/generated/install-values.ts', content: interfaces() },
    ...helmChartFiles(),
    ...manifestFiles(),
    { path: 'docs/reference/install-values.md', content: valuesPage(installValuesNode, completeValues({})) },
  ];
}

function interfaces(): string {
  return typescriptInterfaces(installValuesNode).replaceAll('`spec', '`values').replace('lib/api', 'lib/charts');
}
