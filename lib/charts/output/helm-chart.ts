import { ApiObject, App, Chart } from 'cdk8s';
import { stringify } from 'yaml';
import { version } from '../../../package.json';
import type { GeneratedFile } from '../../api/generate';
import { imageTemplates } from '../images';
import { Installation } from '../installation';
import { REFERENCES_TEMPLATE } from '../pods';
import { conditionsOf } from '../template/choice';
import { stringExpression } from '../template/expression';
import { helmTemplate, type TemplateObject } from '../template/helm-template';
import { standIns } from '../template/stand-ins';
import { completeValues } from '../values/complete-values';
import { refusalsTemplate } from '../values/contradictions';
import { type CompleteInstallValues, installValuesNode } from '../values/install-values';
import { NOTES } from './notes';
import { valuesSchemaJson, valuesYaml } from './values-files';

const FOLDER = 'charts/inference-gateway';

/** The Helm chart: what an installation is, with Helm's expressions in place of its values. */
export function helmChartFiles(): GeneratedFile[] {
  const values = standIns(installValuesNode) as CompleteInstallValues;
  const defaults = completeValues({});
  return [
    { path: `${FOLDER}/Chart.yaml`, content: chartYaml() },
    { path: `${FOLDER}/values.yaml`, content: valuesYaml(installValuesNode, defaults) },
    { path: `${FOLDER}/values.schema.json`, content: valuesSchemaJson(installValuesNode) },
    { path: `${FOLDER}/templates/_helpers.tpl`, content: helpers(values) },
    { path: `${FOLDER}/templates/NOTES.txt`, content: NOTES },
    { path: `${FOLDER}/templates/refusals.yaml`, content: refusalsTemplate() },
    ...templateFiles(values),
  ];
}

/** One file for each part of the installation. */
function templateFiles(values: CompleteInstallValues): GeneratedFile[] {
  const chart = new Chart(new App(), 'helm');
  const installation = new Installation(chart, 'Installation', stringExpression('.Release.Namespace'), values);
  return installation.node.children.map((part) => ({
    path: `${FOLDER}/templates/${part.node.id}.yaml`,
    content: helmTemplate(part.node.findAll().filter(ApiObject.isApiObject).map(templateObject)),
  }));
}

function templateObject(object: ApiObject): TemplateObject {
  return { conditions: conditionsOf(object), object: object.toJson() };
}

function chartYaml(): string {
  const chart = {
    apiVersion: 'v2',
    name: 'inference-gateway',
    description: 'Inference gateway for LLM serving: each request goes to the pod that answers it first.',
    type: 'application',
    version,
    appVersion: version,
    kubeVersion: '>=1.33.0-0',
    keywords: ['llm', 'inference', 'gateway', 'envoy'],
  };
  return `# Generated from lib/charts by \`npm run generate\`. Do not edit.\n${stringify(chart)}`;
}

function helpers(values: CompleteInstallValues): string {
  const references = `{{- define "${REFERENCES_TEMPLATE}" }}[{{ range $index, $name := . }}{{ if $index }},{{ end }}{"name":{{ toJson $name }}}{{ end }}]{{ end }}\n`;
  return `${imageTemplates(values)}${references}`;
}
