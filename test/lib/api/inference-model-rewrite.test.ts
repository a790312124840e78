import { accepted, modelRewrite, refusals } from './support/manifests';

const rules = (...targets: unknown[]) => modelRewrite({ rules: [{ targets }] });

test('the published defaults are filled in', () => {
  expect(accepted(modelRewrite()).spec).toMatchObject({
    poolRef: { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'llama' },
    rules: [{ matches: [{ model: { type: 'Exact', value: 'llama-8b' } }] }],
  });
});

test.each(['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2'])('%s is accepted', (apiVersion) => {
  expect(refusals({ ...modelRewrite(), apiVersion })).toEqual([]);
});

test.each<[string, unknown]>([
  ['no rules', modelRewrite({ rules: [] })],
  ['a generic rule', modelRewrite({ rules: [{ targets: [{ modelRewrite: 'a' }] }] })],
  ['a rule without targets', modelRewrite({ rules: [{ matches: [{ model: { value: 'a' } }] }] })],
  ['the largest weight', rules({ modelRewrite: 'a', weight: 1_000_000 })],
])('%s is accepted', (_, manifest) => {
  expect(refusals(manifest)).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['no poolRef', modelRewrite({ poolRef: undefined }), 'spec.poolRef: is required: it must be an object'],
  [
    'a weight of 0',
    rules({ modelRewrite: 'a', weight: 0 }),
    'spec.rules[0].targets[0].weight: must be an integer, from 1 to 1000000; got 0',
  ],
  ['an empty list of targets', rules(), 'spec.rules[0].targets: must be a list, at least 1 items; got an empty list'],
  [
    'a weight that is missing beside others',
    rules({ modelRewrite: 'a', weight: 1 }, { modelRewrite: 'b' }),
    'spec.rules[0].targets[1].weight: either every target has a weight or none has: add the missing weight, or remove the others',
  ],
  [
    'a misspelt field',
    modelRewrite({ rules: [{ target: [] }] }),
    'spec.rules[0].target: unknown field: did you mean targets?',
  ],
])('%s is refused', (_, manifest, line) => {
  expect(refusals(manifest)).toEqual([line]);
});
