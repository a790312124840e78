import { create, toBinary } from '@bufbuild/protobuf';
import {
  type Cluster,
  Cluster_DiscoveryType,
  ClusterSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/cluster/v3/cluster_pb';
import { ListenerSchema } from '../../../../runtime/envoy-api/generated/envoy/config/listener/v3/listener_pb';
import {
  DirectResponseActionSchema,
  type Route,
  RouteSchema,
  VirtualHostSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import { RouteConfigurationSchema } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_pb';
import type { RouteBackends } from '../../../../runtime/inference-pools/route-backends';
import { NO_PICKER } from '../../../../runtime/inference-pools/xds/cluster-names';
import {
  type BackendsOfRoutes,
  type GatewayResources,
  routesWithPools,
  translate,
} from '../../../../runtime/inference-pools/xds/translate';
import { DISCOVERY, leadsElsewhere, leadsTo, picked, unpicked } from '../support/pools';
import { cluster, hasUnknown, httpChain, leading, route, routes, withUnknown } from '../support/xds';

const RULE = 'httproute/models/chat/rule/0';
const alpha = picked('alpha');
const beta = picked('beta');
const chat = (...rules: RouteBackends): BackendsOfRoutes => new Map([['models/chat', rules]]);
const resources = (clusters: readonly Cluster[], ...given: readonly Route[]): GatewayResources => ({
  clusters,
  listeners: [],
  routes: [routes(...given)],
});
const translated = (given: GatewayResources, backends: BackendsOfRoutes) => translate(given, backends, DISCOVERY);
const pooled = (...pools: Parameters<typeof route>[2] & object) => route(RULE, leading(RULE), pools);

/** By name: what its endpoints are asked for by. */
const discovered = ({ clusters }: GatewayResources) =>
  Object.fromEntries(clusters.map(({ name, edsClusterConfig }) => [name, edsClusterConfig?.serviceName]));

describe('clusters', () => {
  test('that of the rule becomes that of its one pool, and its picker has one', () => {
    const result = translated(resources([cluster(RULE), cluster('other')], pooled(alpha)), chat([leadsTo('alpha')]));

    expect(discovered(result)).toEqual({
      other: 'other',
      [RULE]: 'inference-pool/models/alpha',
      'inference-gateway/endpoint-picker/models/alpha-epp/9002': 'endpoint-picker/models/alpha-epp/9002',
      [NO_PICKER]: undefined,
    });
  });

  test('that of the rule stays for the others, beside those of pools', () => {
    const backends = chat([leadsTo('alpha'), leadsElsewhere(), leadsTo('beta')]);

    const result = translated(resources([cluster(RULE)], pooled(alpha, beta)), backends);

    expect(discovered(result)).toMatchObject({
      [RULE]: RULE,
      [`${RULE}/inference-pool/models/alpha`]: 'inference-pool/models/alpha',
      [`${RULE}/inference-pool/models/beta`]: 'inference-pool/models/beta',
    });
  });

  test("a pool's has what policies say of its backend, where Envoy Gateway has made a cluster of each", () => {
    const of = (name: string, maxRequests: number) =>
      cluster(name, { circuitBreakers: { thresholds: [{ maxRequests }] } });
    const given = [of(`${RULE}/backend/0`, 1), of(`${RULE}/backend/1`, 2)];

    const { clusters } = translated(
      resources(given, route(RULE, leading({ [`${RULE}/backend/0`]: 1 }), [alpha])),
      chat([leadsElsewhere(), leadsTo('alpha')]),
    );

    const found = clusters.find(({ name }) => name === RULE);
    expect(found?.circuitBreakers?.thresholds[0]?.maxRequests).toBe(2);
  });

  test('of pools that share a picker there is one to ask it', () => {
    const service = { name: 'shared', port: 9002 };
    const pools = [picked('alpha', { service }), picked('beta', { service })];

    const result = translated(resources([cluster(RULE)], pooled(...pools)), chat([leadsTo('alpha'), leadsTo('beta')]));

    expect(Object.values(discovered(result)).filter((name) => name?.startsWith('endpoint-picker/'))).toEqual([
      'endpoint-picker/models/shared/9002',
    ]);
  });

  test.each(['isOurs', 'failsOpen'] as const)(
    'a picker that several pools name is %s if all of them say so',
    (trait) => {
      const service = { name: 'shared', port: 9002 };
      const shared = (...said: readonly boolean[]) => {
        const pools = said.map((value, index) => picked(`pool-${index}`, { service, [trait]: value }));
        const backends = chat(pools.map(({ name }) => leadsTo(name)));
        const { clusters } = translated(resources([cluster(RULE)], pooled(...pools)), backends);
        return clusters.find(({ name }) => name.includes('shared'));
      };

      expect(shared(true, false)).toEqual(shared(false, false));
      expect(shared(false, true)).toEqual(shared(false, false));
      expect(shared(true, true)).not.toEqual(shared(false, false));
    },
  );

  test('where Envoy Gateway has made none for the rule, none is made up', () => {
    const result = translated(resources([cluster('other')], pooled(unpicked('alpha'))), chat([leadsTo('alpha')]));

    expect(Object.keys(discovered(result))).toEqual(['other', NO_PICKER]);
  });

  test('that of nobody is always there, as every listener names it', () => {
    const { clusters } = translated(resources([]), new Map());

    expect(clusters.map(({ name }) => name)).toEqual([NO_PICKER]);
  });

  test('the matches of a rule, and all virtual hosts, share those of its pools', () => {
    const configuration = create(RouteConfigurationSchema, {
      virtualHosts: [0, 1].map(() => ({ routes: [pooled(alpha), pooled(alpha)] })),
    });

    const result = translated(
      { clusters: [cluster(RULE)], listeners: [], routes: [configuration, configuration] },
      chat([leadsTo('alpha')]),
    );

    expect(result.clusters).toHaveLength(3);
  });
});

test.each<[string, BackendsOfRoutes]>([
  ['whose HTTPRoute has vanished', new Map()],
  ['whose rule has vanished', chat()],
  ['whose rule leads elsewhere by now', chat([leadsTo('alpha')])],
  ['whose rule gives its pool no weight by now', chat([leadsTo('beta', 0), leadsTo('alpha')])],
])('a route %s leads to its pools until Envoy Gateway leaves it out', (_, backends) => {
  const given = resources([cluster(RULE)], pooled(beta));

  expect(translated(given, backends)).toEqual(translated(given, chat([leadsTo('beta')])));
});

describe('a route stays byte for byte', () => {
  const bytes = (one: Route | undefined) => toBinary(RouteSchema, one!);
  const directResponse = {
    case: 'directResponse',
    value: create(DirectResponseActionSchema, { status: 418 }),
  } as const;
  const all = chat([leadsTo('alpha')]);

  test.each<[string, Route, BackendsOfRoutes]>([
    ['that leads to no pool', route(RULE, leading(RULE)), all],
    ['that is an answer of Envoy', route(RULE, directResponse, [alpha]), all],
    ['of another kind', route('grpcroute/models/chat/rule/0', leading(RULE), [alpha]), all],
  ])('%s', (_, given, backends) => {
    const result = translated(resources([cluster(RULE)], given), backends);

    expect(bytes(result.routes[0]?.virtualHosts[0]?.routes[0])).toEqual(bytes(given));
    expect(discovered(result)).toEqual({ [RULE]: RULE, [NO_PICKER]: undefined });
  });

  test('beside one that leads to a pool', () => {
    const other = route('httproute/models/chat/rule/1', leading('other'));

    const result = translated(resources([cluster(RULE)], pooled(alpha), other), all);

    expect(bytes(result.routes[0]?.virtualHosts[0]?.routes[1])).toEqual(bytes(other));
  });
});

test('what nobody here knows of stays', () => {
  const host = withUnknown(VirtualHostSchema, create(VirtualHostSchema, { routes: [pooled(alpha)] }));
  const configuration = withUnknown(
    RouteConfigurationSchema,
    create(RouteConfigurationSchema, { virtualHosts: [host] }),
  );
  const rule = withUnknown(ClusterSchema, cluster(RULE));

  const result = translated({ clusters: [rule], listeners: [], routes: [configuration] }, chat([leadsTo('alpha')]));

  const found = result.clusters.find(({ name }) => name === RULE);
  expect([found, result.routes[0], result.routes[0]?.virtualHosts[0]].map(hasUnknown)).toEqual([true, true, true]);
});

test('a cluster of a pool is discovered, whatever Envoy Gateway makes of an extension', () => {
  const rule = cluster(RULE, { clusterDiscoveryType: { case: 'type', value: Cluster_DiscoveryType.ORIGINAL_DST } });

  const { clusters } = translated(resources([rule], pooled(alpha)), chat([leadsTo('alpha')]));

  expect(clusters.find(({ name }) => name === RULE)?.clusterDiscoveryType.value).toBe(Cluster_DiscoveryType.EDS);
});

test('every listener is guarded, whether there are pools or not', () => {
  const listener = create(ListenerSchema, { name: 'gw/http', defaultFilterChain: httpChain() });

  const { listeners } = translated({ clusters: [], listeners: [listener], routes: [] }, new Map());

  expect(toBinary(ListenerSchema, listeners[0]!).length).toBeGreaterThan(toBinary(ListenerSchema, listener).length);
});

describe('the HTTPRoutes whose backends are asked for', () => {
  test('are those of routes with pools, each once', () => {
    const names = routesWithPools([
      routes(pooled(alpha), pooled(beta), route('httproute/far/mail/rule/3', leading('x'), [alpha])),
      routes(route('httproute/models/plain/rule/0', leading('x'))),
    ]);

    expect([...names].sort()).toEqual(['far/mail', 'models/chat']);
  });

  test('are none where no route is of a rule', () => {
    expect(routesWithPools([routes(route('grpcroute/models/chat/rule/0', leading('x'), [alpha]))]).size).toBe(0);
  });
});

test('a route that leads nowhere at all, which Envoy would refuse with everything else, is answered', () => {
  const nowhere = route('grpcroute/models/chat/rule/0', leading({}), [alpha]);

  const { routes } = translated(resources([], nowhere), new Map());

  expect(routes[0]?.virtualHosts[0]?.routes[0]?.action).toMatchObject({
    case: 'directResponse',
    value: { status: 503 },
  });
});
