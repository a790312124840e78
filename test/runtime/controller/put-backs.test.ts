import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { createAppliedObjects } from '../../../runtime/controller/applied-objects';

const desired = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'team' }, spec: { x: 1 } };
const live = (uid: string, resourceVersion: string): KubernetesObject => ({
  ...desired,
  metadata: { ...desired.metadata, uid, resourceVersion },
});

test('what somebody deletes again is made anew 5 s after the last time', () => {
  const applied = createAppliedObjects();
  applied.remember(desired, live('a', '1'), 0);
  applied.forget(live('a', '1'));
  expect(applied.dueIn(desired, undefined, 100)).toBe(0);
  applied.remember(desired, live('b', '2'), 100);

  applied.forget(live('b', '2'));

  expect(applied.dueIn(desired, undefined, 600)).toBe(4_500);
  expect(applied.dueIn(desired, undefined, 5_100)).toBe(0);
  expect(applied.dueIn({ ...desired, spec: { x: 2 } }, undefined, 600)).toBe(0);
});

test('they are counted, deleted or changed, for a minute', () => {
  const applied = createAppliedObjects();
  const put = (uid: string, now: number) => applied.remember(desired, live(uid, String(now + 1)), now);
  put('a', 0);
  expect(applied.putBacks(desired, 0)).toBe(0);
  put('a', 10_000);
  applied.forget(live('a', '9'));
  put('b', 20_000);
  expect(applied.putBacks(desired, 20_000)).toBe(2);

  expect(applied.putBacks(desired, 70_001)).toBe(1);
  applied.remember({ ...desired, spec: { x: 2 } }, live('b', '3'), 71_000);
  expect(applied.putBacks(desired, 71_000)).toBe(0);
});

test('of what is wanted no more, or was deleted long ago, nothing is kept', () => {
  const applied = createAppliedObjects();
  const other = { ...desired, metadata: { name: 'b' } };
  applied.remember(desired, live('a', '1'), 0);
  applied.remember(desired, live('a', '2'), 1_000);
  applied.forget(live('a', '2'));
  applied.remember(other, other, 2_000);
  expect(applied.dueIn(desired, undefined, 2_000)).toBe(4_000);

  applied.drop(desired);
  expect(applied.dueIn(desired, undefined, 2_000)).toBe(0);

  applied.remember(desired, live('b', '3'), 2_000);
  applied.remember(desired, live('b', '4'), 3_000);
  applied.forget(live('b', '4'));
  applied.remember(other, other, 63_000);
  expect(applied.putBacks(desired, 3_500)).toBe(0);
});
