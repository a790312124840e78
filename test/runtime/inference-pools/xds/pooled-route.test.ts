import { create } from '@bufbuild/protobuf';
import { anyUnpack, durationMs } from '@bufbuild/protobuf/wkt';
import {
  DirectResponseActionSchema,
  RedirectActionSchema,
  type Route,
  RouteActionSchema,
  RouteSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import { ExtProcPerRouteSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/http/ext_proc/v3/ext_proc_pb';
import type { BackendPool } from '../../../../runtime/inference-pools/backend-pool';
import type { RouteBackend } from '../../../../runtime/inference-pools/route-backends';
import { NO_PICKER } from '../../../../runtime/inference-pools/xds/cluster-names';
import { pooledRoute } from '../../../../runtime/inference-pools/xds/pooled-route';
import { ruleOf } from '../../../../runtime/inference-pools/xds/rule-name';
import { leadsElsewhere, leadsTo, picked, unpicked } from '../support/pools';
import { hasUnknown, leading, route, withUnknown } from '../support/xds';

const RULE = 'httproute/models/chat/rule/0';
const ALPHA = `${RULE}/inference-pool/models/alpha`;
const BETA = `${RULE}/inference-pool/models/beta`;
const alpha = picked('alpha');
const beta = picked('beta');

function pooled(given: Route, backends: readonly RouteBackend[], pools: readonly BackendPool[]) {
  return pooledRoute(given, ruleOf(given.name)!, backends, pools, false);
}
const one = (action = leading(RULE), backends = [leadsTo('alpha')], pools: readonly BackendPool[] = [alpha]) =>
  pooled(route(RULE, action), backends, pools);

function actionOf({ action }: Route) {
  if (action.case !== 'route') throw new Error(`the route is a ${action.case}`);
  return action.value;
}

/** The one cluster, or all by weight, in order. */
function leads(result: Route) {
  const { clusterSpecifier: said } = actionOf(result);
  return said.case === 'weightedClusters'
    ? said.value.clusters.map(({ name, weight }) => [name, weight])
    : (said.value as string);
}

/** By cluster: which picker its requests are picked for by. */
function pickersByCluster(result: Route) {
  const { clusterSpecifier: said } = actionOf(result);
  const clusters = said.case === 'weightedClusters' ? said.value.clusters : [];
  return Object.fromEntries(clusters.map(({ name, typedPerFilterConfig }) => [name, pickerIn(typedPerFilterConfig)]));
}

function pickerIn(configs: Route['typedPerFilterConfig']): string | undefined {
  const [found] = Object.values(configs).flatMap((config) => anyUnpack(config, ExtProcPerRouteSchema) ?? []);
  const asked = found?.override.case === 'overrides' ? found.override.value.grpcService?.targetSpecifier : undefined;
  return asked?.case === 'envoyGrpc' ? asked.value.clusterName : undefined;
}

const pickerOf = (name: string) => `inference-gateway/endpoint-picker/models/${name}-epp/9002`;

describe('a rule that leads to one pool', () => {
  test('leads to the cluster of the rule, and the picker of the pool is asked', () => {
    const { route: result, clusters } = one();

    expect(leads(result)).toBe(RULE);
    expect(pickerIn(result.typedPerFilterConfig)).toBe(pickerOf('alpha'));
    expect(clusters).toEqual([{ name: RULE, from: [`${RULE}/backend/0`, RULE], pool: alpha }]);
  });

  test('asks nobody where the pool has no picker', () => {
    const { route: result, clusters } = one(leading(RULE), [leadsTo('alpha')], [unpicked('alpha')]);

    expect(result.typedPerFilterConfig).toEqual({});
    expect(clusters).toHaveLength(1);
  });

  test('asks where nobody is, if the picker is no Service', () => {
    const { service: _, ...picker } = alpha.picker!;

    const { route: result } = one(leading(RULE), [leadsTo('alpha')], [{ ...alpha, picker }]);

    expect(pickerIn(result.typedPerFilterConfig)).toBe(NO_PICKER);
  });

  test('does so too where Envoy Gateway has made a cluster of each backend, and left out that of the pool', () => {
    expect(leads(one(leading({})).route)).toBe(RULE);
  });

  test('does so whatever the weight, and whatever has none', () => {
    const { route: result } = one(leading(RULE), [leadsTo('alpha', 7), leadsElsewhere(0), leadsTo('beta', 0)], [alpha]);

    expect(leads(result)).toBe(RULE);
  });
});

describe('a rule that leads to several', () => {
  test('leads to the cluster of each pool by its weight, each with its picker', () => {
    const { route: result, clusters } = one(leading(RULE), [leadsTo('alpha', 70), leadsTo('beta', 30)], [alpha, beta]);

    expect(leads(result)).toEqual([
      [RULE, 70],
      [BETA, 30],
    ]);
    expect(pickersByCluster(result)).toEqual({ [RULE]: pickerOf('alpha'), [BETA]: pickerOf('beta') });
    expect(result.typedPerFilterConfig).toEqual({});
    expect(clusters.map(({ name, from }) => [name, ...from])).toEqual([
      [RULE, `${RULE}/backend/0`, RULE],
      [BETA, `${RULE}/backend/1`, RULE],
    ]);
  });

  test('to one pool twice, leads there by both weights', () => {
    const { route: result, clusters } = one(leading(RULE), [leadsTo('alpha', 2), leadsTo('alpha', 3)]);

    expect(leads(result)).toEqual([
      [RULE, 2],
      [RULE, 3],
    ]);
    expect(new Set(clusters.map(({ name }) => name))).toEqual(new Set([RULE]));
  });

  test('keeps its cluster for the Services beside a pool, which nobody picks for', () => {
    const backends = [leadsElsewhere(2), leadsTo('alpha', 5), leadsElsewhere(1)];

    const { route: result, clusters } = one(leading(RULE), backends);

    expect(leads(result)).toEqual([
      [RULE, 3],
      [ALPHA, 5],
    ]);
    expect(pickersByCluster(result)).toEqual({ [RULE]: undefined, [ALPHA]: pickerOf('alpha') });
    expect(clusters.map(({ from }) => from)).toEqual([[`${RULE}/backend/1`, RULE]]);
  });

  test('has the pool beside what Envoy Gateway leads by weight, the share that fails too', () => {
    const given = leading({ [`${RULE}/backend/0`]: 4, 'invalid-backend-cluster': 2 });
    const backends = [leadsElsewhere(4), leadsTo('gone', 2), leadsTo('alpha', 3)];

    expect(leads(one(given, backends).route)).toEqual([
      [`${RULE}/backend/0`, 4],
      ['invalid-backend-cluster', 2],
      [RULE, 3],
    ]);
  });

  test('goes on with the cluster of its first pool when another comes', () => {
    const before = one(leading(RULE), [leadsTo('alpha')], [alpha]);
    const after = one(leading(RULE), [leadsTo('alpha', 90), leadsTo('beta', 10)], [alpha, beta]);

    expect(after.clusters[0]).toEqual(before.clusters[0]);
  });

  test('gives a pool that is new to Envoy Gateway no share yet', () => {
    const { route: result } = one(leading(RULE), [leadsTo('alpha'), leadsTo('beta')], [alpha]);

    expect(result).toEqual(one(leading(RULE), [leadsTo('alpha')], [alpha]).route);
  });

  test('asks the picker of each pool only for its own requests, where another has none', () => {
    const backends = [leadsTo('alpha'), leadsTo('beta')];

    const { route: result } = one(leading(RULE), backends, [unpicked('alpha'), beta]);

    expect(pickersByCluster(result)).toEqual({ [RULE]: undefined, [BETA]: pickerOf('beta') });
  });

  test('takes pools of one name apart by their namespace', () => {
    const far = { ...alpha, namespace: 'far' };
    const backends = [leadsTo('alpha'), { pool: { namespace: 'far', name: 'alpha' }, weight: 1 }];

    const { clusters } = one(leading(RULE), backends, [far, alpha]);

    expect(clusters.map(({ pool }) => pool)).toEqual([alpha, far]);
  });
});

describe('a route stays as it is', () => {
  const given = route(RULE, leading(RULE));

  test.each<[string, readonly RouteBackend[], readonly BackendPool[]]>([
    ['where none of its pools is there', [leadsTo('gone')], [alpha]],
    ['where its pools have a weight of 0', [leadsTo('alpha', 0), leadsElsewhere()], [alpha]],
    ['where its rule no longer names a pool', [leadsElsewhere()], [alpha]],
    ['where its rule has no backends', [], [alpha]],
  ])('%s', (_, backends, pools) => {
    expect(pooled(given, backends, pools)).toEqual({ route: given, clusters: [] });
  });

  test.each<[string, Route['action']]>([
    ['an answer of Envoy', { case: 'directResponse', value: create(DirectResponseActionSchema, { status: 418 }) }],
    ['a redirect', { case: 'redirect', value: create(RedirectActionSchema, {}) }],
    ['nothing', { case: undefined }],
  ])('where it is %s', (_, action) => {
    const other = route(RULE, action);

    expect(pooled(other, [leadsTo('alpha')], [alpha])).toEqual({ route: other, clusters: [] });
  });
});

describe('what the owner says', () => {
  test('of timeouts and retries is kept', () => {
    const retryPolicy = { retryOn: '5xx', numRetries: 7 };
    const { route: result } = one(leading(RULE, { timeout: { seconds: 3n }, retryPolicy }));

    expect(durationMs(actionOf(result).timeout!)).toBe(3_000);
    expect(actionOf(result).retryPolicy).toMatchObject(retryPolicy);
  });

  test('is nothing: a response may take as long as it does, and only a pod that is gone costs a retry', () => {
    const { timeout, retryPolicy } = actionOf(one().route);

    expect(durationMs(timeout!)).toBe(0);
    expect(retryPolicy?.retryOn.split(',')).toEqual(expect.arrayContaining(['connect-failure', 'refused-stream']));
    expect(retryPolicy?.retryOn).not.toMatch(/5xx|gateway-error|retriable-4xx/);
  });

  test('of other filters and rewrites is kept', () => {
    const given = create(RouteSchema, {
      name: `${RULE}/match/0/*`,
      action: leading(RULE, { prefixRewrite: '/v1' }),
      typedPerFilterConfig: { 'envoy.filters.http.cors': { typeUrl: 'type.googleapis.com/a.B' } },
    });

    const { route: result } = pooled(given, [leadsTo('alpha')], [alpha]);

    expect(actionOf(result).prefixRewrite).toBe('/v1');
    expect(result.typedPerFilterConfig).toMatchObject(given.typedPerFilterConfig);
  });
});

test('what nobody here knows of stays where it is', () => {
  const action = withUnknown(RouteActionSchema, leading(RULE).value);
  const given = withUnknown(RouteSchema, route(RULE, { case: 'route', value: action }));

  const { route: result } = pooled(given, [leadsTo('alpha'), leadsElsewhere()], [alpha]);

  expect([hasUnknown(result), hasUnknown(actionOf(result))]).toEqual([true, true]);
});

test('the route that was given is not changed', () => {
  const [given, same] = [0, 1].map(() => route(RULE, leading({ other: 1 }))) as [Route, Route];

  pooled(given, [leadsTo('alpha'), leadsElsewhere()], [alpha]);

  expect(given).toEqual(same);
});
