import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { parseAllDocuments } from 'yaml';
import type { SchemaNode } from '../../lib/api/schema/schema-node';
import rendered from '../../lib/charts/envoy-gateway/rendered.json';
import type { InstallValues } from '../../lib/charts/generated/install-values';
import { installValuesNode } from '../../lib/charts/values/install-values';
import { valueNodes } from '../../lib/charts/values/sections';
import { renderEnvoyGateway } from '../../scripts/render-envoy-gateway/render-chart';
import { deepMerge } from '../lib/charts/deep-merge';
import { byKey, type ChartObject, chartObjects } from '../lib/charts/objects';
import { VALUE_CHANGES, valuesWith } from '../lib/charts/value-changes';
import { toolPath } from './tools/tools-folder';

const ROOT = join(__dirname, '../..');
const CHART = join(ROOT, 'charts/inference-gateway');
const NAMESPACE = 'inference-gateway';
const run = promisify(execFile);

const objectsOf = (yaml: string): ChartObject[] =>
  parseAllDocuments(yaml).flatMap((document) => (document.contents === null ? [] : [document.toJS() as ChartObject]));

async function helm(values: unknown, namespace = NAMESPACE): Promise<ChartObject[]> {
  const pending = run(toolPath('helm'), ['template', 'any-release', CHART, '--namespace', namespace, '--values', '-']);
  pending.child.stdin?.end(JSON.stringify(values));
  return objectsOf((await pending).stdout);
}

const manifests = () => objectsOf(readFileSync(join(ROOT, 'deploy/manifests/install.yaml'), 'utf8'));

test('helm lint has nothing to say against the chart', async () => {
  const { stdout } = await run(toolPath('helm'), ['lint', '--strict', CHART]);

  expect(stdout).toContain('1 chart(s) linted, 0 chart(s) failed');
  expect(stdout).not.toMatch(/WARNING|ERROR/);
});

test('with default values Helm and the manifests are the same, object for object', async () => {
  const objects = await helm({});

  expect(objects.length).toBe(manifests().length);
  expect(byKey(objects)).toEqual(byKey(manifests()));
});

test('in another namespace Helm and the construct are the same', async () => {
  expect(byKey(await helm({}, 'gateways'))).toEqual(byKey(chartObjects({}, 'gateways')));
});

test.each(VALUE_CHANGES)('$path: Helm and the construct are the same', async (change) => {
  const values = deepMerge(change.beside ?? {}, valuesWith(change));

  expect(byKey(await helm(values))).toEqual(byKey(chartObjects(values)));
});

test('values together: Helm and the construct are the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray([...VALUE_CHANGES]), async (some) => {
      const values = some
        .flatMap((change) => [change.beside ?? {}, valuesWith(change)])
        .reduce(deepMerge<InstallValues>, {});

      expect(byKey(await helm(values))).toEqual(byKey(chartObjects(values)));
    }),
    { numRuns: 20 },
  );
}, 60_000);

const WRONG: Readonly<Record<string, unknown>> = {
  boolean: 'yes',
  integer: '2',
  string: 7,
  array: 'one',
  object: ['one'],
};

test.each(valueNodes(installValuesNode).map(({ path, node }) => ({ path, node })))(
  '$path of the wrong type is refused, and the message says where',
  async ({ path, node }) => {
    const value = WRONG[(node as SchemaNode).type ?? ''];

    expect(value).toBeDefined();
    await expect(helm(valuesWith({ path, value, changes: [] }))).rejects.toThrow(`at '/${path.replaceAll('.', '/')}'`);
  },
);

test('values that contradict each other are refused, by Helm and by the construct alike', async () => {
  const values = { envoyGateway: { enabled: true, namespace: 'other' } };
  const reason = 'envoyGateway.namespace: only an Envoy Gateway that is there already has another namespace';

  await expect(helm(values)).rejects.toThrow(reason);
  expect(() => chartObjects(values)).toThrow(reason);
});

test('a value that is not there is refused, and the message names it', async () => {
  await expect(helm({ controller: { replica: 2 } })).rejects.toThrow("additional properties 'replica' not allowed");
});

test('values for all charts of an umbrella chart are no fault', async () => {
  expect(byKey(await helm({ global: { any: 'thing' } }))).toEqual(byKey(manifests()));
});

test('the folder of manifests is a Kustomize base', async () => {
  const { stdout } = await run(toolPath('kubectl'), ['kustomize', join(ROOT, 'deploy/manifests')]);

  expect(byKey(objectsOf(stdout))).toEqual(byKey(chartObjects({ namespace: { create: true } })));
});

test("what the chart has of Envoy Gateway is what Envoy Gateway's own chart renders (tsx scripts/render-envoy-gateway.ts)", () => {
  expect(renderEnvoyGateway(toolPath('helm'), ROOT)).toEqual(rendered);
});
