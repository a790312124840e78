import type { GatewayObject } from '../../../../lib/api/kinds';
import { formatPath } from '../../../../lib/api/validation/fault';
import { validateObjects } from '../../../../lib/api/validation/validate-objects';
import { accepted, gatewayConfig, inferenceObjective, modelRewrite, scheduler } from '../support/manifests';

const config = (name: string, schedulers: unknown[], namespace = 'default') =>
  gatewayConfig({ schedulers }, { name, namespace });

function faultsOf(...values: unknown[]): string[] {
  const objects = values.map((value) => accepted(value) as unknown as GatewayObject);
  return validateObjects(objects).map(({ index, path, message }) => `${index} ${formatPath(path)}: ${message}`);
}

test('an object that is there twice is reported, once', () => {
  expect(faultsOf(config('a', [scheduler()]), config('a', [scheduler()]))).toEqual([
    '1 metadata.name: InferenceGatewayConfig default/a is defined twice: remove or rename one',
  ]);
});

test('two gateways of a namespace may serve the same model, but not under the same scheduler name', () => {
  expect(faultsOf(config('a', [scheduler()]), config('b', [scheduler()]))).toEqual([
    expect.stringMatching(/^1 spec\.schedulers\[0\]\.name: .*"llama" is also in InferenceGatewayConfig a/),
  ]);
  expect(faultsOf(config('a', [scheduler()]), config('b', [scheduler({ name: 'llama-batch' })]))).toEqual([]);
});

test('gateways of two namespaces may', () => {
  expect(faultsOf(config('a', [scheduler()], 'one'), config('a', [scheduler()], 'two'))).toEqual([]);
});

test("a rewrite or an objective of a pool that is nobody here is no fault: it may be somebody else's", () => {
  const poolRef = { name: 'lama', kind: 'Service' };
  expect(faultsOf(config('a', [scheduler()]), modelRewrite({ poolRef }), inferenceObjective({ poolRef }))).toEqual([]);
});

test('the same objective in both API groups is two objects', () => {
  const llmD = { ...inferenceObjective(), apiVersion: 'llm-d.ai/v1alpha2' };
  expect(faultsOf(inferenceObjective(), llmD)).toEqual([]);
  expect(faultsOf(llmD, llmD)).toEqual([
    '1 metadata.name: InferenceObjective default/urgent is defined twice: remove or rename one',
  ]);
});
