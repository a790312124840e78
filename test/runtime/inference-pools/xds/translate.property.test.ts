import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import {
  type Cluster,
  Cluster_DiscoveryType,
} from '../../../../runtime/envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import {
  DirectResponseActionSchema,
  type Route,
  RouteSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import type { BackendPool } from '../../../../runtime/inference-pools/backend-pool';
import type { RouteBackend } from '../../../../runtime/inference-pools/route-backends';
import { poolsOf } from '../../../../runtime/inference-pools/xds/stamp';
import { type GatewayResources, translate } from '../../../../runtime/inference-pools/xds/translate';
import { DISCOVERY, leadsTo, picked, unpicked } from '../support/pools';
import { cluster, leading, route, routes } from '../support/xds';

/* Whatever rules lead to, and however Envoy Gateway makes clusters of them. */

const POOLS: Readonly<Record<string, BackendPool>> = {
  alpha: picked('alpha'),
  beta: unpicked('beta'),
  gamma: picked('gamma', { bodies: 'buffered', failsOpen: true }),
};

/** One of those, one that is not there, a Service, or a Service without endpoints. */
const backend = fc.record({
  to: fc.constantFrom(...Object.keys(POOLS), 'gone', 'service', 'empty'),
  weight: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 1_000_000 })),
});
type Backend = typeof backend extends fc.Arbitrary<infer T> ? T : never;

const rule = fc.record({
  backends: fc.array(backend, { maxLength: 8 }),
  /** A cluster of each backend, as where one has filters of its own. */
  isSplit: fc.boolean(),
  isLost: fc.boolean(),
  type: fc.constantFrom(Cluster_DiscoveryType.EDS, Cluster_DiscoveryType.STATIC, Cluster_DiscoveryType.ORIGINAL_DST),
});
type Rule = typeof rule extends fc.Arbitrary<infer T> ? T : never;

const nameOf = (index: number) => `httproute/models/chat/rule/${index}`;
const isPool = ({ to }: Backend) => POOLS[to] !== undefined;
const sum = (backends: readonly Backend[]) => backends.reduce((total, { weight }) => total + weight, 0);

function refOf({ to, weight }: Backend): RouteBackend {
  return to === 'service' || to === 'empty' ? { weight } : leadsTo(to, weight);
}

/** Envoy Gateway's part: a route and clusters of a rule. It leaves pools out where it leads by weight. */
function made({ backends, isSplit, type, isLost }: Rule, index: number) {
  const name = nameOf(index);
  const used = backends
    .map((one, at) => ({ ...one, cluster: `${name}/backend/${at}` }))
    .filter((one) => one.weight > 0);
  const failing = used.filter(({ to }) => to === 'gone' || to === 'empty');
  const stamp = [...new Set(used.filter(isPool).map(({ to }) => POOLS[to]!))];
  if (used.length === failing.length) {
    const value = create(DirectResponseActionSchema, { status: 500 });
    return { route: route(name, { case: 'directResponse', value }, stamp), clusters: [] };
  }
  const isWeighted = isSplit || failing.length > 0;
  const weights = {
    ...(failing.length > 0 && { 'invalid-backend-cluster': sum(failing) }),
    ...Object.fromEntries(used.filter(({ to }) => to === 'service').map((one) => [one.cluster, one.weight])),
  };
  const names = isWeighted ? used.map((one) => one.cluster) : [name];
  const clusterDiscoveryType = { case: 'type', value: type } as const;
  return {
    route: route(name, leading(isWeighted ? weights : name), stamp),
    clusters: isLost ? [] : names.map((one) => cluster(one, { clusterDiscoveryType })),
  };
}

const property = (check: (rules: readonly Rule[], given: GatewayResources, result: GatewayResources) => void) =>
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), (rules) => {
      const all = rules.map(made);
      const given = {
        clusters: [...all.flatMap(({ clusters }) => clusters), cluster('other')],
        listeners: [],
        routes: [routes(...all.map((one) => one.route))],
      };
      const backends = new Map([['models/chat', rules.map((one) => one.backends.map(refOf))]]);
      check(rules, given, translate(given, backends, DISCOVERY));
    }),
    { numRuns: 300 },
  );

const routesOf = ({ routes: [configuration] }: GatewayResources) => configuration!.virtualHosts[0]!.routes;
const byName = ({ clusters }: GatewayResources) => new Map<string, Cluster>(clusters.map((one) => [one.name, one]));
const serviceOf = (one: Cluster | undefined) => one?.edsClusterConfig?.serviceName ?? '';

function sharesOf({ action }: Route): readonly { readonly name: string; readonly weight: number }[] {
  if (action.case !== 'route') return [];
  const { clusterSpecifier: said } = action.value;
  if (said.case === 'weightedClusters') return said.value.clusters.map(({ name, weight = 0 }) => ({ name, weight }));
  return said.case === 'cluster' ? [{ name: said.value, weight: 1 }] : [];
}

test('what leads to a pool has its share of the weight of its rule', () => {
  property((rules, given, result) => {
    const clusters = byName(result);
    for (const [index, { backends, isLost }] of rules.entries()) {
      const before = routesOf(given)[index]!;
      if (isLost || before.action.case !== 'route' || poolsOf(before).length === 0) continue;
      const shares = sharesOf(routesOf(result)[index]!);
      const total = shares.reduce((all, { weight }) => all + weight, 0);
      for (const name of Object.keys(POOLS)) {
        const led = shares.filter((one) => serviceOf(clusters.get(one.name)) === `inference-pool/models/${name}`);
        const share = led.reduce((all, { weight }) => all + weight, 0);

        expect(share * sum(backends)).toBe(sum(backends.filter(({ to }) => to === name)) * total);
      }
    }
  });
});

test('a route leads to no cluster that is not there, unless Envoy Gateway has none', () => {
  property((_, given, result) => {
    const clusters = byName(result);
    for (const one of routesOf(result)) {
      const rule = one.name.replace(/\/match\/.*/, '');
      const present = given.clusters.some(({ name }) => name === rule || name.startsWith(`${rule}/`));
      for (const { name } of sharesOf(one)) {
        if (name !== 'invalid-backend-cluster') expect(clusters.has(name)).toBe(present);
      }
    }
  });
});

test('every cluster has a name of its own', () => {
  property((_, _given, { clusters }) => {
    expect(new Set(clusters.map(({ name }) => name)).size).toBe(clusters.length);
  });
});

test('nothing that is of pools goes where a request says', () => {
  property((_, _given, { clusters }) => {
    const ours = clusters.filter((one) => /^(inference-pool|endpoint-picker)\//.test(serviceOf(one)));

    for (const one of ours) expect(one.clusterDiscoveryType.value).toBe(Cluster_DiscoveryType.EDS);
  });
});

test('no route has a weight of nothing, which Envoy refuses with all others', () => {
  property((_, given, result) => {
    for (const [index, { action }] of routesOf(result).entries()) {
      if (action.case !== 'route' || poolsOf(routesOf(given)[index]!).length === 0) continue;
      const { clusterSpecifier: said } = action.value;

      if (said.case === 'weightedClusters') expect(sharesOf(routesOf(result)[index]!)).not.toEqual([]);
    }
  });
});

test('a route without pools, and a cluster of no rule, is byte for byte as it was', () => {
  property((_, given, result) => {
    const hex = (one: Route) => Buffer.from(toBinary(RouteSchema, one)).toString('hex');
    for (const [index, one] of routesOf(given).entries()) {
      if (poolsOf(one).length === 0) expect(hex(routesOf(result)[index]!)).toBe(hex(one));
    }
    expect(result.clusters).toContain(given.clusters.at(-1));
  });
});

test('the same makes the same, and stays as it is', () => {
  property((rules, given, result) => {
    const backends = new Map([['models/chat', rules.map((one) => one.backends.map(refOf))]]);
    const before = structuredClone(given);

    expect(translate(given, backends, DISCOVERY)).toEqual(result);
    expect(given).toEqual(before);
  });
});
