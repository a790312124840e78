import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { usablePods } from '../../../runtime/objects/usable-pods';

const pod = (
  name: string,
  podIP: string | undefined,
  fields: { phase?: string; leaving?: true } = {},
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...(fields.leaving && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  status: { phase: fields.phase ?? 'Running', ...(podIP !== undefined && { podIP }) },
});
const names = (pods: readonly KubernetesObject[]) => usablePods(pods).map(({ metadata }) => metadata.name);

test('pods without an address, and those that have ended, are none', () => {
  const ended = [pod('failed', '10.0.0.2', { phase: 'Failed' }), pod('done', '10.0.0.3', { phase: 'Succeeded' })];
  expect(names([pod('new', undefined), ...ended, pod('a', '10.0.0.1', { phase: 'Pending' })])).toEqual(['a']);
});

test('a pod that two selectors find is one', () => {
  expect(names([pod('a', '10.0.0.1'), pod('a', '10.0.0.1')])).toEqual(['a']);
});

test('an address is of the pod that stays, in whatever order they come', () => {
  const pods = [
    pod('old', '10.0.0.1', { leaving: true }),
    pod('new', '10.0.0.1'),
    pod('alone', '10.0.0.2', { leaving: true }),
  ];
  expect(names(pods).sort()).toEqual(['alone', 'new']);
  expect(names(pods.reverse()).sort()).toEqual(['alone', 'new']);
});
