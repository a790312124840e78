import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { FirstPods } from '../../../runtime/objects/first-pods';

const pod = (name: string, status: 'True' | 'False' = 'True', metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, uid: name, ...metadata },
  status: { conditions: [{ type: 'Ready', status }] },
});
const names = (pods: readonly KubernetesObject[]) => pods.map(({ metadata }) => metadata.name);

function start(...first: KubernetesObject[]) {
  const firstPods = new FirstPods();
  firstPods.admit(first, 0);
  return (now: number, ...pods: KubernetesObject[]) => {
    const { pods: admitted, dueIn } = firstPods.admit(pods, now);
    return [names(admitted), dueIn];
  };
}

test('what is ready at first counts at once', () => {
  const { pods, dueIn } = new FirstPods().admit([pod('a')], 5_000);
  expect([names(pods), dueIn]).toEqual([['a'], undefined]);
});

test('the first pod counts when it has been ready for a while, and what became ready with it too', () => {
  const admit = start();
  expect(admit(10_000, pod('a', 'False'))).toEqual([['a'], undefined]);
  expect(admit(20_000, pod('a'))).toEqual([[], 2_000]);
  expect(admit(21_500, pod('a'), pod('b'), pod('c', 'False'))).toEqual([['c'], 500]);
  expect(admit(22_000, pod('a'), pod('b'))).toEqual([['a', 'b'], undefined]);
});

test('a pod beside others counts at once, and goes on when they are gone', () => {
  const admit = start(pod('a'));
  expect(admit(10_000, pod('a'), pod('b'))).toEqual([['a', 'b'], undefined]);
  expect(admit(10_100, pod('b'))).toEqual([['b'], undefined]);
});

test('a pod that was not ready in between is a first one again; one on its way out is no other', () => {
  const admit = start(pod('a'));
  admit(10_000, pod('a', 'False'));
  expect(admit(11_000, pod('a'))).toEqual([[], 2_000]);
  const going = pod('old', 'True', { deletionTimestamp: '2026-01-01T00:00:00Z' });
  expect(admit(12_000, pod('a'), going)).toEqual([['old'], 1_000]);
});
