import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { InstallValues } from '../../../lib/charts/generated/install-values';
import { completeValues } from '../../../lib/charts/values/complete-values';
import { runValidate } from '../../../runtime/validate/run-validate';
import { chartObjects } from './objects';

const FOLDER = join(__dirname, '../../../examples/kubernetes');
const VALUES = join(__dirname, '../../../examples/helm');
const manifests = readdirSync(FOLDER).sort();
const values = readdirSync(VALUES).sort();
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8');
const readValues = (file: string) => parse(readFileSync(join(VALUES, file), 'utf8')) as InstallValues;

test.each(manifests)('%s is valid, and nothing in it would be ignored', async (file) => {
  const { lines, warnings, objects } = await runValidate([join(FOLDER, file)]);

  expect(lines).toEqual([]);
  expect(objects).toBeGreaterThan(0);
  // Pods are the cluster's.
  expect(warnings.filter((line) => !line.endsWith('its modelSelector selects no pod'))).toEqual([]);
});

test.each(manifests)('%s has one gateway', (file) => {
  const kinds = parseAllDocuments(read(file)).map((document) => document.get('kind'));

  expect(kinds.filter((kind) => kind === 'InferenceGatewayConfig')).toHaveLength(1);
});

test.each(values)('%s are values of an installation', (file) => {
  expect(completeValues(readValues(file))).toBeDefined();
});

test('an installation beside another Envoy Gateway has none, and may bind load balancers where its Envoys are', () => {
  const objects = chartObjects(readValues('existing-envoy-gateway-values.yaml'));
  const role = objects.find(({ metadata }) => metadata.name === 'hyperpod-inference-gateway-controller-envoy');

  expect(objects.some(({ metadata }) => metadata.name.includes('envoy-gateway'))).toBe(false);
  expect(role?.metadata.namespace).toBe('envoy-gateway-system');
});

test('with a registry of their own no image comes from elsewhere', () => {
  const objects = chartObjects(readValues('private-registry-values.yaml'));
  const images = JSON.stringify(objects).match(/(?<="|=|\\")[\w./-]+[:@][\w.:-]*(?=\\?")/g) ?? [];

  expect(images.filter((image) => image.includes('@sha256:')).length).toBeGreaterThan(5);
  expect(JSON.stringify(objects)).not.toContain('docker.io');
});

test('the quickstart runs the image that is installed, and its model servers are those that it selects', () => {
  const [, config, deployment] = parseAllDocuments(read('quickstart.yaml')).map((document) => document.toJS());
  const { template } = deployment.spec;

  expect(JSON.stringify(chartObjects())).toContain(`"${template.spec.containers[0].image}"`);
  expect(template.metadata.labels).toEqual(config.spec.schedulers[0].modelSelector.matchLabels);
  expect(template.spec.containers[0].args).toContain(`--model=${config.spec.schedulers[0].modelName}`);
});
