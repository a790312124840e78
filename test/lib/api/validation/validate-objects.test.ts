import type { GatewayObject } from '../../../../lib/api/kinds';
import { formatPath } from '../../../../lib/api/validation/fault';
import { validateObjects } from '../../../../lib/api/validation/validate-objects';
import { accepted, gatewayConfig, modelRewrite, scheduler } from '../support/manifests';

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

test('a rewrite must name a scheduler of its namespace', () => {
  expect(faultsOf(config('a', [scheduler()]), modelRewrite({ poolRef: { name: 'lama' } }))).toEqual([
    '1 spec.poolRef.name: names no scheduler of namespace default; there are llama',
  ]);
  expect(faultsOf(config('a', [scheduler()]), modelRewrite())).toEqual([]);
});

test('a rewrite by itself is not blamed for what is not at hand', () => {
  expect(faultsOf(config('a', [scheduler()], 'elsewhere'), modelRewrite())).toEqual([]);
});

test('a rewrite of something that is no pool is refused', () => {
  expect(faultsOf(modelRewrite({ poolRef: { name: 'llama', kind: 'Service' } }))).toEqual([
    '0 spec.poolRef.kind: must be InferencePool; got "Service"',
  ]);
});
