import { hinderedStatus } from '../../../../../lib/translate/cluster/status/hindered-status';
import type { Problem } from '../../../../../lib/translate/cluster/types';

const NOW = '2026-01-02T00:00:00Z';
const problem: Problem = { condition: 'Accepted', reason: 'NotSynced', message: 'pods are not known', blocks: true };

const condition = (type: string, status: string, generation: number, more: object = {}) => ({
  type,
  status,
  observedGeneration: generation,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: type,
  message: '',
  ...more,
});

const object = {
  apiVersion: 'inference.sagemaker.aws.amazon.com/v1alpha1',
  kind: 'InferenceGatewayConfig',
  metadata: { name: 'gw', namespace: 'team', generation: 2 },
};

test('the condition and Ready are false; all else is as it was told, of its generation', () => {
  const status = {
    observedGeneration: 1,
    conditions: ['Accepted', 'Ready', 'BBRReady'].map((type) => condition(type, 'True', 1)),
    schedulers: [{ name: 'llama' }],
    tls: { issuedAt: NOW },
  };
  const why = { lastTransitionTime: NOW, reason: 'NotSynced', message: 'pods are not known' };

  expect(hinderedStatus({ ...object, status }, problem, NOW)).toEqual({
    ...status,
    conditions: [
      condition('Accepted', 'False', 2, why),
      condition('Ready', 'False', 2, why),
      condition('BBRReady', 'True', 1),
    ],
  });
});

test('told once more it is the same, with the time since when', () => {
  const first = hinderedStatus(object, problem, NOW);

  expect(hinderedStatus({ ...object, status: first }, problem, '2026-01-03T00:00:00Z')).toEqual(first);
  expect(first.conditions?.map(({ type }) => type)).toEqual(['Accepted', 'Ready']);
});
