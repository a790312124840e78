import { App } from 'cdk8s';
import type { InferenceGatewayConfigSpec } from '../../../lib/api/generated/inference-gateway-config';
import { InferenceGatewayConfigChart } from '../../../lib/charts/inference-gateway-config-chart';

const scheduler = (name: string, others: object = {}) => ({
  name,
  modelName: name,
  modelSelector: { matchLabels: { app: name } },
  ...others,
});
const specOf = (...schedulers: object[]) => ({ bbr: { enabled: true }, schedulers }) as InferenceGatewayConfigSpec;
const chart = (spec: InferenceGatewayConfigSpec) =>
  new InferenceGatewayConfigChart(new App(), 'gateway', { name: 'demo', namespace: 'team', spec }).toJson();

test('is the config, as it was written', () => {
  const spec = specOf(scheduler('llama'), scheduler('qwen', { configMapRef: { name: 'picking' } }));

  expect(chart(spec)).toEqual([
    {
      apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
      kind: 'InferenceGatewayConfig',
      metadata: { name: 'demo', namespace: 'team' },
      spec,
    },
  ]);
});

test('every fault is thrown at synthesis, with its path', () => {
  const spec = specOf(scheduler('llama', { replicas: 0, wieghts: {} }));

  expect(() => chart(spec)).toThrow(
    /^InferenceGatewayConfig team\/demo: spec\.schedulers\[0\]\.replicas: .*; spec\.schedulers\[0\]\.wieghts: .*weights/s,
  );
});

test('so is what only a translation shows', () => {
  expect(() => chart(specOf(scheduler('demo-health')))).toThrow(/demo-health/);
});
