import { createOwnedObjects } from '../../../runtime/controller/owned-objects';

const object = (name: string, gateway?: string, more: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name,
    namespace: 'team',
    labels: {
      'app.kubernetes.io/managed-by': 'inference-gateway-controller',
      ...(gateway && {
        'inference.sagemaker.aws.amazon.com/gateway': gateway,
        'inference.sagemaker.aws.amazon.com/gateway-namespace': 'team',
      }),
      ...more,
    },
  },
});

test('objects are found by their gateway and by their name', () => {
  const owned = createOwnedObjects();

  expect(owned.change(undefined, object('a', 'gw'))).toEqual(['team/gw']);
  owned.change(undefined, object('b', 'other'));

  expect(owned.of('team/gw')).toEqual([object('a', 'gw')]);
  expect(owned.find(object('b'))).toEqual(object('b', 'other'));
  expect(owned.of('team/none')).toEqual([]);
});

test('one that changes its gateway concerns both', () => {
  const owned = createOwnedObjects();
  owned.change(undefined, object('a', 'gw'));

  expect(owned.change(object('a', 'gw'), object('a', 'other'))).toEqual(['team/gw', 'team/other']);
  expect(owned.of('team/gw')).toEqual([]);
  expect(owned.of('team/other')).toHaveLength(1);
});

test('one that is gone is not found any more', () => {
  const owned = createOwnedObjects();
  owned.change(undefined, object('a', 'gw'));

  expect(owned.change(object('a', 'gw'), undefined)).toEqual(['team/gw']);
  expect(owned.find(object('a'))).toBeUndefined();
});

test("what Envoy Gateway has made carries the labels too, and is not the controller's", () => {
  const owned = createOwnedObjects();

  expect(owned.change(undefined, object('envoy', 'gw', { 'gateway.envoyproxy.io/owning-gateway-name': 'gw' }))).toEqual(
    [],
  );
  expect(owned.of('team/gw')).toEqual([]);
});
