import { accepted, inferenceObjective, refusals } from './support/manifests';

test('the published defaults are filled in, and a priority that is absent stays so', () => {
  expect(accepted(inferenceObjective({ priority: undefined })).spec).toEqual({
    poolRef: { group: 'inference.networking.k8s.io', kind: 'InferencePool', name: 'llama' },
  });
});

test.each(['inference.networking.x-k8s.io/v1alpha2', 'llm-d.ai/v1alpha2'])('%s is accepted', (apiVersion) => {
  expect(refusals({ ...inferenceObjective({ priority: -10 }), apiVersion })).toEqual([]);
});

test('the status that an API server fills in is accepted', () => {
  expect(refusals({ ...inferenceObjective(), status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } })).toEqual(
    [],
  );
});

test.each<[string, unknown, string]>([
  ['no poolRef', inferenceObjective({ poolRef: undefined }), 'spec.poolRef: is required: it must be an object'],
  ['half a priority', inferenceObjective({ priority: 0.5 }), 'spec.priority: must be an integer, of 32 bits; got 0.5'],
  [
    'more than 32 bits of priority',
    inferenceObjective({ priority: 2_147_483_648 }),
    'spec.priority: must be an integer, of 32 bits; got 2147483648',
  ],
  [
    'the name of a band',
    inferenceObjective({ criticality: 'Critical', priority: undefined }),
    'spec.criticality: unknown field: remove it; known fields are priority, poolRef',
  ],
])('%s is refused', (_, manifest, line) => {
  expect(refusals(manifest).map((fault) => fault.slice(0, line.length))).toEqual([line]);
});
