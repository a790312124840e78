import { clusterRules, envoyRules, systemRules } from '../../../../lib/charts/controller/permissions';
import { LEASE, SYSTEM_NAMESPACE } from '../../../../lib/charts/names';
import { LEASE as CONTROLLER_LEASE } from '../../../../runtime/controller/controller';
import { OWNED_KINDS } from '../../../../runtime/controller/owned-kinds';
import { resourceOf } from '../../../../runtime/kubernetes/resources';
import type { ChartObject } from '../objects';
import { ENVOYS, renderedExamples } from '../rendered-examples';
import { allows, attemptsOf, type RoleRule } from './allows';

const CLUSTER = clusterRules() as readonly RoleRule[];
const SYSTEM = [...CLUSTER, ...(systemRules(LEASE) as readonly RoleRule[])];
const ENVOY = [...CLUSTER, ...(envoyRules() as readonly RoleRule[])];
const ALL = [...SYSTEM, ...ENVOY];

const MANAGE = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

test.each(OWNED_KINDS)('it may manage every $resource.kind that it makes, where it makes them', (kind) => {
  const { group, plural } = kind.resource;
  const rules = kind.systemOnly ? SYSTEM : kind.envoyOnly ? ENVOY : CLUSTER;

  for (const verb of MANAGE)
    expect({ verb, ok: allows(rules, { group, resource: plural, verb }) }).toEqual({ verb, ok: true });
});

/** By which Gateways InferencePools are reached follows from those of the whole cluster. */
const READ_EVERYWHERE = ['Gateway', 'ReferenceGrant'];
const OF_ONE_PLACE = OWNED_KINDS.filter(({ systemOnly, envoyOnly }) => systemOnly || envoyOnly);

test.each(OF_ONE_PLACE.filter(({ resource }) => !READ_EVERYWHERE.includes(resource.kind)))(
  'it may not list every $resource.kind of the cluster',
  ({ resource: { group, plural } }) => {
    expect(allows(CLUSTER, { group, resource: plural, verb: 'list' })).toBe(false);
    expect(allows(CLUSTER, { group, resource: plural, verb: 'watch' })).toBe(false);
  },
);

describe('of Gateways and what leads from them to InferencePools', () => {
  const group = 'gateway.networking.k8s.io';

  test.each(['gateways', 'gatewayclasses', 'listenersets', 'referencegrants', 'httproutes'])(
    'it may follow all %s of the cluster',
    (resource) => {
      for (const verb of ['list', 'watch']) expect(allows(CLUSTER, { group, resource, verb })).toBe(true);
    },
  );

  test.each(['gateways', 'gatewayclasses', 'listenersets', 'referencegrants'])(
    'it may not change those of others: %s',
    (resource) => {
      for (const verb of ['patch', 'update', 'delete']) expect(allows(CLUSTER, { group, resource, verb })).toBe(false);
    },
  );

  test('it may tell the status of every InferencePool', () => {
    const pools = { group: 'inference.networking.k8s.io', resource: 'inferencepools/status' };
    expect(allows(CLUSTER, { ...pools, verb: 'patch' })).toBe(true);
    for (const verb of ['update', 'delete']) expect(allows(CLUSTER, { ...pools, verb })).toBe(false);
  });
});

describe('of the examples', () => {
  let made: readonly ChartObject[];
  beforeAll(async () => {
    made = await renderedExamples();
  });

  test('it may apply and delete everything that it makes, where it makes it', () => {
    const here = ({ metadata: { namespace } }: ChartObject) =>
      namespace === SYSTEM_NAMESPACE ? SYSTEM : namespace === ENVOYS ? ENVOY : CLUSTER;
    const refused = made.flatMap((object) => {
      const { group, plural } = resourceOf(object.apiVersion, object.kind);
      const { name, namespace } = object.metadata;
      // The GatewayClass is of no one gateway, and stays.
      const verbs = ['get', 'create', 'patch', ...(object.kind === 'GatewayClass' ? [] : ['delete'])];
      return verbs
        .filter((verb) => !allows(here(object), { group, resource: plural, verb, name }))
        .map((verb) => `${verb} ${plural} in ${namespace}`);
    });

    expect(made.length).toBeGreaterThan(100);
    expect(refused).toEqual([]);
  });

  test('it holds everything that the Roles grant which it makes', () => {
    const roles = made.filter(({ kind }) => kind === 'Role');
    const granted = roles.flatMap(({ rules }) => (rules as readonly RoleRule[]).flatMap(attemptsOf));

    expect(granted.length).toBeGreaterThan(10);
    expect(granted.filter((attempt) => !allows(CLUSTER, attempt))).toEqual([]);
  });
});

test('nothing is granted by a wildcard, and nothing by which it could grant itself more', () => {
  for (const { apiGroups = [], resources = [], verbs } of ALL) {
    for (const word of [...apiGroups, ...resources, ...verbs]) expect(word).not.toBe('*');
    for (const verb of ['escalate', 'bind', 'impersonate']) expect(verbs).not.toContain(verb);
    for (const resource of ['clusterroles', 'clusterrolebindings', 'pods/exec', 'serviceaccounts/token']) {
      expect(resources).not.toContain(resource);
    }
  }
});

test('of what the cluster has once it may change its own alone', () => {
  const crd = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
  const gatewayClass = { group: 'gateway.networking.k8s.io', resource: 'gatewayclasses' };

  expect(allows(CLUSTER, { ...crd, verb: 'patch', name: 'gateways.gateway.networking.k8s.io' })).toBe(true);
  expect(allows(CLUSTER, { ...crd, verb: 'patch', name: 'certificates.cert-manager.io' })).toBe(false);
  expect(allows(CLUSTER, { ...crd, verb: 'delete', name: 'gateways.gateway.networking.k8s.io' })).toBe(false);
  expect(allows(CLUSTER, { ...gatewayClass, verb: 'patch', name: 'inference-gateway' })).toBe(true);
  expect(allows(CLUSTER, { ...gatewayClass, verb: 'patch', name: 'other' })).toBe(false);
  expect(allows(CLUSTER, { ...gatewayClass, verb: 'delete', name: 'inference-gateway' })).toBe(false);
});

test('of Secrets outside its namespace it may read and write those that it can name', () => {
  const verbs = [...MANAGE, 'update'].filter((verb) => allows(CLUSTER, { group: '', resource: 'secrets', verb }));

  expect(verbs).toEqual(['get', 'create', 'patch']);
});

test('it leads by a Lease that it may hold', () => {
  const lease = { group: 'coordination.k8s.io', resource: 'leases' };

  expect(LEASE).toBe(CONTROLLER_LEASE);
  for (const verb of ['get', 'update']) expect(allows(SYSTEM, { ...lease, verb, name: LEASE })).toBe(true);
  expect(allows(SYSTEM, { ...lease, verb: 'update', name: 'kube-scheduler' })).toBe(false);
  expect(allows(CLUSTER, { ...lease, verb: 'create' })).toBe(false);
});
