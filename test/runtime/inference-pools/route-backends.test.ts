import { routeBackends } from '../../../runtime/inference-pools/route-backends';

const POOL = { group: 'inference.networking.k8s.io', kind: 'InferencePool' };
const leads = (spec?: object) =>
  routeBackends({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'chat', namespace: 'models' },
    ...(spec && { spec }),
  });
const of = (...backendRefs: readonly object[]) => leads({ rules: [{ backendRefs }] });

test('each rule has its backends, in order', () => {
  const rules = [{ backendRefs: [{ ...POOL, name: 'a' }, { name: 'plain' }] }, {}, { backendRefs: [] }];

  const found = leads({ rules });

  expect(found).toEqual([[{ pool: { namespace: 'models', name: 'a' }, weight: 1 }, { weight: 1 }], [], []]);
});

test('a pool may be of another namespace', () => {
  expect(of({ ...POOL, namespace: 'far', name: 'a' })).toEqual([
    [{ pool: { namespace: 'far', name: 'a' }, weight: 1 }],
  ]);
});

test('a weight of 0 is one', () => {
  expect(of({ ...POOL, name: 'a', weight: 0 })).toMatchObject([[{ weight: 0 }]]);
});

test.each([
  ['another group', { ...POOL, group: 'inference.networking.x-k8s.io' }],
  ['another kind', { ...POOL, kind: 'InferencePoolImport' }],
  ['no group', { kind: 'InferencePool' }],
])('what is of %s is no pool', (_, reference) => {
  expect(of({ ...reference, name: 'a' })).toEqual([[{ weight: 1 }]]);
});

test('an HTTPRoute without rules leads nowhere', () => {
  expect(leads()).toEqual([]);
  expect(leads({})).toEqual([]);
});
