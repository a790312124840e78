import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { ObjectStore } from '../../../runtime/kubernetes/object-store';

function object(name: string, resourceVersion: string, uid = name): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'team', uid, resourceVersion } };
}

function create() {
  const told: string[] = [];
  const store: ObjectStore = new ObjectStore({
    onChange: (old, now) => {
      const name = (one: KubernetesObject | undefined) => one && `${one.metadata.name}${one.metadata.resourceVersion}`;
      told.push(`${name(old)} > ${name(now)}, ${store.list().length} in all`);
    },
  });
  return { store, told };
}

test('a whole set is in place before anything of it is told, and losses come first', () => {
  const { store, told } = create();
  store.replaceAll([object('a', '1'), object('b', '1'), object('c', '1')]);
  told.length = 0;

  store.replaceAll([object('d', '1'), object('b', '2'), object('c', '1')]);

  expect(told).toEqual(['a1 > undefined, 3 in all', 'undefined > d1, 3 in all', 'b1 > b2, 3 in all']);
});

test('another object of the same name is a loss and a gain', () => {
  const { store, told } = create();
  store.set(object('a', '1', 'first'));
  store.set(object('a', '2', 'second'));
  store.replaceAll([object('a', '3', 'third')]);

  expect(told.slice(1)).toEqual([
    'a1 > undefined, 1 in all',
    'undefined > a2, 1 in all',
    'a2 > undefined, 1 in all',
    'undefined > a3, 1 in all',
  ]);
});

test('a version that comes again with another object, as after a backup is put back, is a change', () => {
  const { store, told } = create();
  store.replaceAll([object('a', '1', 'first')]);
  store.replaceAll([object('a', '1', 'second')]);

  expect(told.slice(1)).toEqual(['a1 > undefined, 1 in all', 'undefined > a1, 1 in all']);
});

test('the loss of what was not known is not told', () => {
  const { store, told } = create();
  store.delete(object('a', '1'));

  expect(told).toEqual([]);
});
