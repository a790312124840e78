import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { ENVOY_GATEWAY_CONTROLLER } from '../../../../lib/translate/cluster/names';
import { leadingGateways } from '../../../../runtime/inference-pools/status/leading-gateways';
import {
  backend,
  FROM_ROUTES,
  factsOf,
  gateway,
  gatewayClass,
  grant,
  judged,
  listenerSet,
  route,
  TO_POOLS,
} from './support/objects';

const OURS = [gateway(), gatewayClass()];

/** `pool: gateway (route verdict, …)`. */
function leading(...objects: readonly KubernetesObject[]): string[] {
  return [...leadingGateways(factsOf(...OURS, ...objects), ENVOY_GATEWAY_CONTROLLER)].flatMap(([pool, gateways]) =>
    gateways.map(({ namespace, name, routes }) => {
      const verdicts = [...routes].map(([key, { verdict }]) => `${key} ${verdict}`);
      return `${pool}: ${namespace}/${name} (${verdicts.join(', ')})`;
    }),
  );
}

const LEADS = 'team/llama: team/gw (team/chat pending)';

describe('a route leads to a pool', () => {
  test.each([
    ['without a port', backend()],
    ['with a port, whichever', backend('llama', { port: 1 })],
    ['with a weight of 0', backend('llama', { weight: 0 })],
    ['in its own namespace by name', backend('llama', { namespace: 'team' })],
  ])('that it names %s', (_, backendRef) => {
    expect(leading(route('chat', { backendRefs: [backendRef] }))).toEqual([LEADS]);
  });

  test('in any of its rules, and once however often it names it', () => {
    const spec = {
      parentRefs: [{ name: 'gw' }],
      rules: [{}, { backendRefs: [{ name: 'service', port: 80 }] }, { backendRefs: [backend(), backend('qwen')] }],
    };
    const twice = { ...spec, rules: [...spec.rules, { backendRefs: [backend()] }] };

    expect(leading({ ...route(), spec: twice })).toEqual([LEADS, 'team/qwen: team/gw (team/chat pending)']);
  });

  test.each([
    ['a Service of its name', { name: 'llama', port: 80 }],
    ['another kind of the group', backend('llama', { kind: 'InferencePoolImport' })],
    ['the kind of another group', backend('llama', { group: 'inference.networking.x-k8s.io' })],
  ])('but not by %s', (_, backendRef) => {
    expect(leading(route('chat', { backendRefs: [backendRef] }))).toEqual([]);
  });
});

describe('the pool of another namespace', () => {
  const apps = route('chat', {
    namespace: 'apps',
    parentRefs: [{ name: 'gw', namespace: 'team' }],
    backendRefs: [backend('llama', { namespace: 'team' })],
  });
  const LEADS_THERE = 'team/llama: team/gw (apps/chat pending)';

  test.each([
    ['to all', grant([FROM_ROUTES], [TO_POOLS])],
    ['by name', grant([FROM_ROUTES], [{ ...TO_POOLS, name: 'llama' }])],
    ['beside others', grant([{ ...FROM_ROUTES, kind: 'GRPCRoute' }, FROM_ROUTES], [{ ...TO_POOLS, name: '' }])],
  ])('is reached by what its namespace grants: %s', (_, granted) => {
    expect(leading(apps, granted)).toEqual([LEADS_THERE]);
  });

  test.each([
    ['no grant', []],
    ['a grant of the wrong namespace', [grant([FROM_ROUTES], [TO_POOLS], 'apps')]],
    ['a grant to routes of another namespace', [grant([{ ...FROM_ROUTES, namespace: 'other' }], [TO_POOLS])]],
    ['a grant to another kind of route', [grant([{ ...FROM_ROUTES, kind: 'TLSRoute' }], [TO_POOLS])]],
    ['a grant for Services', [grant([FROM_ROUTES], [{ group: '', kind: 'Service' }])]],
    ['a grant for another pool', [grant([FROM_ROUTES], [{ ...TO_POOLS, name: 'qwen' }])]],
    ['half of it in each of two grants', [grant([FROM_ROUTES], []), grant([], [TO_POOLS])]],
  ])('is not with %s', (_, grants) => {
    expect(leading(apps, ...grants)).toEqual([]);
  });
});

describe('a parent counts', () => {
  test.each([
    ['with all that is said', { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'team', name: 'gw' }],
    ['whatever the section', { name: 'gw', sectionName: 'https', port: 443 }],
  ])('%s', (_, parentRef) => {
    expect(leading(route('chat', { parentRefs: [parentRef] }))).toEqual([LEADS]);
  });

  test.each([
    ['a Service, as in a mesh', { group: '', kind: 'Service', name: 'gw' }],
    ['a Gateway of another group', { group: 'example.com', name: 'gw' }],
    ['a Gateway that is not there', { name: 'gone' }],
    ['a Gateway of another namespace', { name: 'gw', namespace: 'other' }],
    ['a Gateway of another controller', { name: 'istio' }],
    ['a Gateway whose class is not there', { name: 'classless' }],
  ])('but not %s', (_, parentRef) => {
    const others = [
      gateway('istio', 'team', 'istio'),
      gatewayClass('istio', 'istio.io/gateway-controller'),
      gateway('classless', 'team', 'nothing'),
    ];
    expect(leading(route('chat', { parentRefs: [parentRef] }), ...others)).toEqual([]);
  });

  test('by a ListenerSet of a Gateway too, in whatever namespace that is', () => {
    const parentRef = { kind: 'ListenerSet', name: 'set' };
    const sets = [listenerSet('set', { name: 'far', namespace: 'infra' }), gateway('far', 'infra')];
    const judgedThere = route('chat', { parentRefs: [parentRef], parents: [judged('True', parentRef)] });

    expect(leading(judgedThere, ...sets)).toEqual(['team/llama: infra/far (team/chat accepted)']);
    expect(leading(judgedThere)).toEqual([]);
    expect(leading(judgedThere, listenerSet('set', { kind: 'Service', name: 'gw' }))).toEqual([]);
  });
});

describe('a route is', () => {
  const ref = { name: 'gw' };

  test.each([
    ['accepted', [judged('True')]],
    ['accepted', [judged('False', { ...ref, sectionName: 'a' }), judged('True', { ...ref, sectionName: 'b' })]],
    ['refused', [judged('False')]],
    ['refused', [judged('False', { ...ref, sectionName: 'a' }), judged('False', { ...ref, sectionName: 'b' })]],
    ['pending', []],
    ['pending', [judged('Unknown')]],
    ['pending', [judged('False', { ...ref, sectionName: 'a' }), judged('Unknown', { ...ref, sectionName: 'b' })]],
    ['pending', [{ ...judged('True'), conditions: [] }]],
    ['pending', [judged('True', ref, 'example.com/other')]],
    ['pending', [judged('True', { name: 'other' })]],
    ['pending', [judged('True', { name: 'gw', namespace: 'other' })]],
    ['pending', [judged('True', { kind: 'ListenerSet', name: 'gw' })]],
  ])('%s by what is said of it (%#)', (verdict, parents) => {
    expect(leading(route('chat', { parents }))).toEqual([`team/llama: team/gw (team/chat ${verdict})`]);
  });

  test.each([
    ['accepted', 'False', 'True'],
    ['pending', 'False', 'Unknown'],
    ['refused', 'False', 'False'],
    ['accepted', 'True', 'False'],
    ['pending', 'Unknown', 'False'],
  ])('%s at a Gateway that it reaches in two ways, judged %s and %s', (verdict, direct, bySet) => {
    const set = { kind: 'ListenerSet', name: 'set' };
    const chat = route('chat', { parentRefs: [{ name: 'gw' }, set], parents: [judged(direct), judged(bySet, set)] });

    expect(leading(chat, listenerSet('set', { name: 'gw' }))).toEqual([`team/llama: team/gw (team/chat ${verdict})`]);
  });
});

test('each Gateway is there once, with all its routes', () => {
  const both = route('both', { parentRefs: [{ name: 'gw' }, { name: 'second' }], parents: [judged('True')] });

  expect(leading(route(), both, gateway('second'))).toEqual([
    'team/llama: team/gw (team/chat pending, team/both accepted)',
    'team/llama: team/second (team/both pending)',
  ]);
});

test('objects that are not as they should be lead nowhere', () => {
  const odd = { ...route(), spec: { parentRefs: 'gw', rules: [null, { backendRefs: [7, { group: 1 }] }] } };

  expect(leading(odd, { ...route(), spec: undefined }, { ...grant([], []), spec: 3 })).toEqual([]);
});
