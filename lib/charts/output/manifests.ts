import { App } from 'cdk8s';
import { stringify } from 'yaml';
import type { GeneratedFile } from '../../api/generate';
import { InferenceGatewayChart } from '../inference-gateway-chart';

const FOLDER = 'deploy/manifests';
const GENERATED = '# Generated from lib/charts by `npm run generate`. Do not edit.\n';

const KUSTOMIZATION = {
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  resources: ['namespace.yaml', 'install.yaml'],
};

/** The objects of an installation with default values, for kubectl and as a base for Kustomize. */
export function manifestFiles(): GeneratedFile[] {
  const chart = new InferenceGatewayChart(new App(), 'manifests', { values: { namespace: { create: true } } });
  const objects = chart.toJson() as readonly { readonly kind: string }[];
  const isNamespace = ({ kind }: { readonly kind: string }) => kind === 'Namespace';
  return [
    { path: `${FOLDER}/namespace.yaml`, content: yamlOf(objects.filter(isNamespace)) },
    { path: `${FOLDER}/install.yaml`, content: yamlOf(objects.filter((object) => !isNamespace(object))) },
    { path: `${FOLDER}/kustomization.yaml`, content: yamlOf([KUSTOMIZATION]) },
  ];
}

function yamlOf(objects: readonly unknown[]): string {
  const documents = objects.map((object) => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 }));
  return `${GENERATED}${documents.join('---\n')}`;
}
