import fc from 'fast-check';
import { ownedFields } from '../../../runtime/controller/owned-fields';

test('fields of others do not show', () => {
  const desired = { spec: { replicas: 2, template: { labels: { a: 'b' } } } };
  const live = { spec: { replicas: 2, paused: true, template: { labels: { a: 'b', c: 'd' } } }, status: { ready: 2 } };

  expect(ownedFields(desired, live)).toEqual(desired);
});

test('a field of ours that somebody has changed or removed shows', () => {
  const desired = { spec: { a: 1, b: 2 } };

  expect(ownedFields(desired, { spec: { a: 9, b: 2 } })).toEqual({ spec: { a: 9, b: 2 } });
  expect(ownedFields(desired, { spec: { a: 1 } })).toEqual({ spec: { a: 1, b: undefined } });
  expect(ownedFields(desired, {})).toEqual({ spec: undefined });
});

test('items with names are found wherever they stand, and those of others are passed over', () => {
  const apiVersion = 'apps/v1';
  const desired = { apiVersion, containers: [{ name: 'b', image: 'x' }] };
  const live = {
    apiVersion,
    containers: [{ name: 'injected' }, { name: 'b', image: 'x', terminationMessagePath: '/dev/x' }],
  };

  expect(ownedFields(desired, live)).toEqual(desired);
  expect(ownedFields(desired, { apiVersion, containers: [{ name: 'injected' }] })).toEqual({
    apiVersion,
    containers: [undefined],
  });
});

test('of owners, mounts and spread constraints those of others are passed over too', () => {
  const desired = {
    apiVersion: 'apps/v1',
    metadata: { ownerReferences: [{ uid: 'a', name: 'gw' }] },
    spec: { volumeMounts: [{ mountPath: '/a', name: 'v' }], topologySpreadConstraints: [{ topologyKey: 'zone' }] },
  };
  const live = {
    apiVersion: 'apps/v1',
    metadata: { ownerReferences: [{ uid: 'b', name: 'gw' }, ...desired.metadata.ownerReferences] },
    spec: {
      volumeMounts: [{ mountPath: '/b', name: 'v' }, ...desired.spec.volumeMounts],
      topologySpreadConstraints: [{ topologyKey: 'rack' }, ...desired.spec.topologySpreadConstraints],
    },
  };

  expect(ownedFields(desired, live)).toEqual(desired);
});

test('an item that others add to a list that is ours as a whole shows, whatever its name', () => {
  const desired = { rules: [{ backendRefs: [{ name: 'ours' }] }], subjects: [{ name: 'ours' }] };
  const backendRefs = [{ name: 'ours', weight: 1 }, { name: 'theirs' }];
  const subjects = [{ name: 'theirs' }, { name: 'ours' }];

  expect(ownedFields(desired, { rules: [{ backendRefs }], subjects })).toEqual({ rules: [{ backendRefs }], subjects });
});

test('a list that is shared in a Deployment is not in an EnvoyProxy', () => {
  const of = (...containers: object[]) => ({ apiVersion: 'gateway.envoyproxy.io/v1alpha1', patch: { containers } });
  const both = of({ name: 'ours' }, { name: 'theirs' });
  expect(ownedFields(of({ name: 'ours' }), both)).toEqual(both);
});

test('an item without a name is found by its place, and what is longer is taken whole', () => {
  const desired = { ports: [{ port: 80 }] };

  expect(ownedFields(desired, { ports: [{ port: 80, protocol: 'TCP' }] })).toEqual(desired);
  expect(ownedFields(desired, { ports: [{ port: 80 }, { port: 81 }] })).toEqual({
    ports: [{ port: 80 }, { port: 81 }],
  });
});

test('of an object as it was written everything shows, in any order of its fields', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const live: unknown = JSON.parse(JSON.stringify(value));
      expect(ownedFields(value, live)).toEqual(live);
    }),
  );
});
