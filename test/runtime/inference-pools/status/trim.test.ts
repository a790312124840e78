import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { ENVOY_GATEWAY_CONTROLLER } from '../../../../lib/translate/cluster/names';
import {
  saysTheSame,
  trimGateway,
  trimGatewayClass,
  trimGrant,
  trimListenerSet,
  trimPool,
  trimRoute,
  trimService,
} from '../../../../runtime/inference-pools/status/trim';
import { wantedParents } from '../../../../runtime/inference-pools/status/wanted-parents';
import {
  backend,
  FROM_ROUTES,
  factsOf,
  gateway,
  gatewayClass,
  grant,
  judged,
  listenerSet,
  PICKER,
  pool,
  route,
  service,
  TO_POOLS,
} from './support/objects';

const TRIMS: Readonly<Record<string, (object: KubernetesObject) => KubernetesObject>> = {
  InferencePool: trimPool,
  HTTPRoute: trimRoute,
  Gateway: trimGateway,
  GatewayClass: trimGatewayClass,
  ListenerSet: trimListenerSet,
  ReferenceGrant: trimGrant,
  Service: trimService,
};
const trim = (object: KubernetesObject) => TRIMS[object.kind]!(object);

const set = { kind: 'ListenerSet', name: 'set' };
const WORLD = [
  pool('llama', PICKER),
  pool('qwen', { endpointPickerRef: { name: 'udp', port: { number: 1 } } }),
  gateway(),
  gatewayClass(),
  gateway('far', 'infra'),
  listenerSet('set', { name: 'far', namespace: 'infra' }),
  route('chat', { parents: [judged('True', { name: 'gw', namespace: 'team', sectionName: 'a' })] }),
  route('sets', { parentRefs: [set], backendRefs: [backend('qwen')], parents: [judged('False', set)] }),
  route('apps', {
    namespace: 'apps',
    parentRefs: [{ name: 'gw', namespace: 'team' }],
    backendRefs: [backend('qwen', { namespace: 'team', weight: 0, port: 3 })],
  }),
  grant([{ ...FROM_ROUTES, kind: 'GRPCRoute' }, FROM_ROUTES], [TO_POOLS]),
  service(),
  service('udp', { ports: [{ port: 1, protocol: 'UDP' }] }),
];

test('what is kept comes to the same as the whole', () => {
  const whole = wantedParents(factsOf(...WORLD), ENVOY_GATEWAY_CONTROLLER);
  const kept = wantedParents(factsOf(...WORLD.map(trim)), ENVOY_GATEWAY_CONTROLLER);

  const parentsOf = (pools: typeof whole) => [...pools].map(([key, { parents }]) => ({ key, parents }));
  expect(parentsOf(kept)).toEqual(parentsOf(whole));
  expect([...kept.values()].flatMap(({ parents }) => parents)).toHaveLength(3);
});

test('of a route that leads to no pool, and of a grant that lets in no route, the name alone is kept', () => {
  const other = route('web', { backendRefs: [{ name: 'web', port: 80 }], parents: [judged('True')] });
  const metadata = { name: 'web', namespace: 'team' };

  expect(trimRoute(other)).toEqual({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata });
  expect(trimGrant(grant([FROM_ROUTES], [{ group: '', kind: 'Service' }]))).not.toHaveProperty('spec');
});

test('of a Service what a picker is found by', () => {
  const long = { ...service(), metadata: { name: 'epp', namespace: 'team', uid: 'u', annotations: { big: 'x' } } };

  expect(trimService(long)).toEqual({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'epp', namespace: 'team', uid: 'u' },
    spec: { type: 'ClusterIP', ports: [{ port: 9002 }] },
  });
});

test('a pool keeps the entries of all, and its generation', () => {
  const parents = [{ controllerName: 'example.com/a', parentRef: { name: 'x' }, more: 1 }];

  expect(trimPool(pool('llama', PICKER, parents))).toMatchObject({
    metadata: { generation: 1 },
    spec: PICKER,
    status: { parents },
  });
});

describe('of two that are kept it shows', () => {
  const versioned = (object: KubernetesObject, resourceVersion: string) =>
    trim({ ...object, metadata: { ...object.metadata, resourceVersion } });

  test('that nothing has changed that counts', () => {
    const { status: _, ...bare } = gateway();
    expect(saysTheSame(versioned(gateway(), '1'), versioned(bare as KubernetesObject, '2'))).toBe(true);
    expect(saysTheSame(versioned(service(), '1'), versioned(service('epp', { selector: {} }), '2'))).toBe(true);
  });

  test.each([
    ['a port', service(), service('epp', { ports: [] })],
    ['a verdict', route(), route('chat', { parents: [judged('True')] })],
    ['a generation', pool(), { ...pool(), metadata: { ...pool().metadata, generation: 2 } }],
    ['an entry', pool(), pool('llama', {}, [{ parentRef: { name: 'x' } }])],
    ['who it is', pool(), { ...pool(), metadata: { ...pool().metadata, uid: 'another' } }],
  ])('that %s has', (_, old, now) => {
    expect(saysTheSame(versioned(old, '1'), versioned(now, '2'))).toBe(false);
  });
});
