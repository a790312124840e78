import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { createAppliedObjects } from '../../../runtime/controller/applied-objects';

const desired = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'team', labels: { x: 'y' } },
  spec: { clusterIP: 'None', ports: [{ name: 'p', port: 1 }] },
};

function live(resourceVersion: string, spec: object = {}, uid = 'u'): KubernetesObject {
  return {
    ...desired,
    metadata: { ...desired.metadata, uid, resourceVersion },
    spec: { ...desired.spec, sessionAffinity: 'None', ...spec },
  };
}

test('what was never applied is due, whatever is there', () => {
  const applied = createAppliedObjects();

  expect(applied.dueIn(desired, undefined, 0)).toBe(0);
  expect(applied.dueIn(desired, live('5'), 0)).toBe(0);
});

test('what is there as it was applied is not', () => {
  const applied = createAppliedObjects();
  applied.remember(desired, live('5'), 0);

  expect(applied.dueIn(desired, live('5'), 1)).toBeUndefined();
  expect(applied.dueIn(desired, live('9', { sessionAffinity: 'ClientIP' }), 1)).toBeUndefined();
});

test('what we want otherwise now is due', () => {
  const applied = createAppliedObjects();
  applied.remember(desired, live('5'), 0);

  expect(applied.dueIn({ ...desired, spec: { clusterIP: 'None' } }, live('5'), 1)).toBe(0);
});

test('what somebody has changed is due at once; when it is changed again, 5 s after it was put back', () => {
  const applied = createAppliedObjects();
  applied.remember(desired, live('5'), 0);
  expect(applied.dueIn(desired, live('6', { clusterIP: '10.0.0.1' }), 1)).toBe(0);

  applied.remember(desired, live('7'), 1_000);
  expect(applied.dueIn(desired, live('8', { clusterIP: '10.0.0.1' }), 1_500)).toBe(4_500);
  expect(applied.dueIn(desired, live('8', { clusterIP: '10.0.0.1' }), 6_000)).toBe(0);
});

test('an answer in another normal form counts as what was wanted', () => {
  const applied = createAppliedObjects();
  applied.remember(desired, live('5', { ports: [{ name: 'p', port: '1' }] }), 0);

  expect(applied.dueIn(desired, live('6', { ports: [{ name: 'p', port: '1' }] }), 1)).toBeUndefined();
});

test('an informer that is behind our own write is given 30 s', () => {
  const applied = createAppliedObjects();
  applied.remember(desired, live('10'), 0);

  expect(applied.dueIn(desired, undefined, 1_000)).toBe(29_000);
  expect(applied.dueIn(desired, live('9', { clusterIP: '10.0.0.1' }), 1_000)).toBe(29_000);
  expect(applied.dueIn(desired, undefined, 30_000)).toBe(0);
});

test('what is gone is due; the word that an earlier one of the name is gone counts nothing', () => {
  const applied = createAppliedObjects();
  applied.remember(desired, live('5'), 0);
  applied.forget(live('3', {}, 'an earlier one'));
  expect(applied.dueIn(desired, undefined, 1)).toBeGreaterThan(0);
  expect(applied.knows(desired)).toBe(true);

  applied.forget(live('6'));
  expect(applied.dueIn(desired, undefined, 1)).toBe(0);
  expect(applied.knows(desired)).toBe(false);
});

test('an object that an informer has as it was before it was applied has the generation of the answer', () => {
  const applied = createAppliedObjects();
  const of = (object: KubernetesObject, generation: number) => ({
    ...object,
    metadata: { ...object.metadata, generation },
  });
  const generation = (seen: KubernetesObject) => applied.withGeneration(seen).metadata.generation;
  expect(generation(of(live('4'), 1))).toBe(1);
  applied.remember(desired, of(live('5'), 2), 0);

  expect(generation(of(live('4'), 1))).toBe(2);
  expect(generation(of(live('9'), 3))).toBe(3);
  expect(generation(of(live('9', {}, 'made anew'), 1))).toBe(1);
});
