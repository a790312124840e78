import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { PickerReference } from '../../../runtime/objects/config-needs';
import { PickingInForce } from '../../../runtime/objects/picking-in-force';

const config = (...schedulers: readonly object[]): KubernetesObject => ({
  apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
  kind: 'InferenceGatewayConfig',
  metadata: { name: 'gw', namespace: 'team' },
  spec: { bbr: { enabled: true }, schedulers },
});
const file = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'team' },
  data: { key: name },
});
const refers = (name: string): PickerReference => ({ index: 0, scheduler: 'llama', type: 'epp', name, key: 'key' });
const llama = (fields: object) => ({ name: 'llama', targetPort: 8000, ...fields });
const byFile = (name: string, fields: object = {}) =>
  llama({ scheduler: 'epp', configMapRef: { name, key: 'key' }, ...fields });
const byWeights = llama({ scheduler: 'llm-d', weights: { queue: 7 } });

let picking: PickingInForce;
beforeEach(() => {
  picking = new PickingInForce();
});

/** What is settled where these files can be used. */
function settle(scheduler: object, reference: PickerReference | undefined, ...files: readonly KubernetesObject[]) {
  const references = reference === undefined ? [] : [reference];
  const names = new Set(files.map(({ metadata }) => metadata.name));
  const followed = new Set(references.filter(({ name }) => names.has(name)));
  const { objects, faults } = picking.settle(config(scheduler), references, { objects: files, followed, faults: [] });
  const [first, ...others] = objects as [KubernetesObject & { spec: { schedulers: object[] } }, ...KubernetesObject[]];
  return { scheduler: first.spec.schedulers[0], others, faults };
}

test('a reference that is followed stays, with its file', () => {
  expect(settle(byFile('fast'), refers('fast'), file('fast'))).toEqual({
    scheduler: byFile('fast'),
    others: [file('fast')],
    faults: [],
  });
});

test('a scheduler that has not picked before takes the default weights', () => {
  const { scheduler, faults } = settle(byFile('nowhere'), refers('nowhere'));
  expect(scheduler).toEqual(llama({ scheduler: 'epp' }));
  expect(faults).toEqual([
    'inferencegatewayconfigs.inference.sagemaker.aws.amazon.com/gw spec.schedulers[0].configMapRef: there is no ConfigMap nowhere whose key can be used; scheduler llama picks by the default weights until there is',
  ]);
});

test('one with weights keeps them while the file that replaces them is not there; its other fields are in force', () => {
  settle(byWeights, undefined);
  for (let time = 0; time < 2; time++) {
    const { scheduler, faults } = settle(byFile('nowhere', { targetPort: 9000 }), refers('nowhere'));
    expect(scheduler).toEqual({ ...byWeights, targetPort: 9000 });
    expect(faults).toEqual([expect.stringContaining('scheduler llama picks as before until there is')]);
  }
  expect(settle(byFile('nowhere'), refers('nowhere'), file('nowhere')).scheduler).toEqual(byFile('nowhere'));
});

test('one that goes on to a file that is not there keeps the former file, though nothing else has it any more', () => {
  settle(byFile('fast'), refers('fast'), file('fast'));
  const { scheduler, others } = settle(byFile('nowhere'), refers('nowhere'));
  expect([scheduler, others]).toEqual([byFile('fast'), [file('fast')]]);
  const newer = { ...file('fast'), data: { key: 'newer' } };
  expect(settle(byFile('nowhere'), refers('nowhere'), newer).others).toEqual([newer]);
});

test('a scheduler that was removed is forgotten', () => {
  settle(byWeights, undefined);
  settle({ name: 'other' }, undefined);
  expect(settle(byFile('nowhere'), refers('nowhere')).scheduler).toEqual(llama({ scheduler: 'epp' }));
});

test('the reference of a scheduler that others pick for is passed over', () => {
  expect(settle(byFile('fast'), undefined, file('fast'))).toMatchObject({
    scheduler: llama({ scheduler: 'epp' }),
    faults: [],
  });
});
