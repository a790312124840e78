import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { RouteSchema } from '../../../../runtime/envoy-api/generated/envoy/config/route/v3/route_components_pb';
import { poolsOf, stamped } from '../../../../runtime/inference-pools/xds/stamp';
import { picked, unpicked } from '../support/pools';
import { hasUnknown, withUnknown } from '../support/xds';

const ROUTE = create(RouteSchema, { name: 'httproute/models/chat/rule/0/match/0/*' });

/** As it comes back from Envoy Gateway. */
const overTheWire = (route: typeof ROUTE) => fromBinary(RouteSchema, toBinary(RouteSchema, route));

test('the pools of a route are known again when it comes back', () => {
  const pools = [
    picked('alpha', { failsOpen: true, bodies: 'buffered' }),
    unpicked('beta'),
    { ...unpicked('gamma'), http2: true, picker: { failsOpen: false, bodies: 'full-duplex', isOurs: true } } as const,
  ];

  expect(poolsOf(overTheWire(stamped(ROUTE, pools)))).toEqual(pools);
});

test('other metadata stays, and so does what nobody here knows of', () => {
  const metadata = { filterMetadata: { 'envoy-gateway': { resources: ['chat'] } } };
  const route = withUnknown(RouteSchema, create(RouteSchema, { name: 'r', metadata }));

  const result = overTheWire(stamped(route, [unpicked('alpha')]));

  expect(result.metadata?.filterMetadata).toMatchObject(metadata.filterMetadata);
  expect(hasUnknown(result)).toBe(true);
});

test('the route that was given stays as it is', () => {
  stamped(ROUTE, [unpicked('alpha')]);

  expect(poolsOf(ROUTE)).toEqual([]);
  expect(ROUTE.metadata).toBeUndefined();
});

test('a second stamp takes the place of the first', () => {
  const twice = stamped(stamped(ROUTE, [unpicked('alpha')]), [unpicked('beta')]);

  expect(poolsOf(twice)).toEqual([unpicked('beta')]);
});
