import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { replacedPickers } from '../../../runtime/controller/surge';

function deployment(name: string, available: boolean, seen = 1): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, generation: 1 },
    spec: { selector: { matchLabels: { pickers: name } } },
    status: {
      observedGeneration: seen,
      availableReplicas: available ? 1 : 0,
      conditions: [{ type: 'Available', status: available ? 'True' : 'False' }],
    },
  };
}

const podOf = (name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `${name}-0`, labels: { pickers: name } },
});

const sliceOf = (pods: readonly string[], ready?: boolean): KubernetesObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 's' },
  endpoints: pods.map((pod) => ({ conditions: { ready }, targetRef: { name: pod } })),
});

const names = (deployments: readonly KubernetesObject[]) => deployments.map(({ metadata }) => metadata.name);

test.each([
  { when: 'it is available and listed', available: true, seen: 1, listed: ['new-0'], ready: true, gone: ['old'] },
  {
    when: 'the slice does not say whether it is ready',
    available: true,
    seen: 1,
    listed: ['new-0'],
    ready: undefined,
    gone: ['old'],
  },
  { when: 'it is not available', available: false, seen: 1, listed: ['new-0'], ready: true, gone: [] },
  { when: 'its status is about an older spec', available: true, seen: 0, listed: ['new-0'], ready: true, gone: [] },
  { when: 'no slice lists its pods', available: true, seen: 1, listed: ['old-0'], ready: true, gone: [] },
  {
    when: 'the slice says that its pods are not ready',
    available: true,
    seen: 1,
    listed: ['new-0'],
    ready: false,
    gone: [],
  },
])('the old one goes or stays: $when', ({ available, seen, listed, ready, gone }) => {
  const rollout = {
    wanted: 'new',
    deployments: [deployment('old', true), deployment('new', available, seen)],
    pods: [podOf('old'), podOf('new')],
    slices: [sliceOf(listed, ready)],
  };

  expect(names(replacedPickers(rollout))).toEqual(gone);
});

test('while the new one is not there, the old ones that serve stay, and those that do not go', () => {
  const deployments = [deployment('old', true), deployment('failed', false)];

  expect(names(replacedPickers({ wanted: 'new', deployments, pods: [], slices: [] }))).toEqual(['failed']);
});

test('where nothing serves, nothing goes: any of them may come up', () => {
  const deployments = [deployment('old', false), deployment('new', false)];

  expect(replacedPickers({ wanted: 'new', deployments, pods: [], slices: [] })).toEqual([]);
});
