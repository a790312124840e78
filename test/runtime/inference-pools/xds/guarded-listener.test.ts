import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack, anyUnpack, StringValueSchema } from '@bufbuild/protobuf/wkt';
import {
  type FilterChain,
  FilterChainSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/listener/v3/listener_components_pb';
import {
  type Listener,
  ListenerSchema,
} from '../../../../runtime/envoy-api/generated/envoy/config/listener/v3/listener_pb';
import { HttpConnectionManagerSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb';
import { HeaderMutationSchema } from '../../../../runtime/envoy-api/generated/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation_pb';
import { DESTINATION_HEADERS } from '../../../../runtime/inference-pools/xds/destination-headers';
import { guardedListener } from '../../../../runtime/inference-pools/xds/guarded-listener';
import { pickFilters } from '../../../../runtime/inference-pools/xds/pick-filters';
import { hasUnknown, httpChain, withUnknown } from '../support/xds';

const PICK_FILTERS = pickFilters().map(({ name }) => name);
const listener = (fields: Partial<Pick<Listener, 'filterChains' | 'defaultFilterChain'>>) =>
  create(ListenerSchema, { name: 'gw/http', ...fields });
const guarded = (chain: FilterChain) => guardedListener(listener({ filterChains: [chain] })).filterChains[0]!;

function managerOf({ filters }: FilterChain) {
  const [config] = filters.map(({ configType }) => configType);
  return (config?.case === 'typedConfig' && anyUnpack(config.value, HttpConnectionManagerSchema)) || undefined;
}
const filtersOf = (chain: FilterChain) => managerOf(chain)?.httpFilters.map(({ name }) => name);

function removedBy(chain: FilterChain): string[] {
  const [first] = managerOf(chain)?.earlyHeaderMutationExtensions ?? [];
  const mutation = first?.typedConfig && anyUnpack(first.typedConfig, HeaderMutationSchema);
  return (mutation?.mutations ?? []).flatMap(({ action }) => (action.case === 'remove' ? action.value : []));
}

const isGuarded = (chain: FilterChain) => removedBy(chain).length > 0;

test('a header that names an address is removed before anything else looks at it', () => {
  const earlyHeaderMutationExtensions = [{ name: 'the-owners' }];
  const chain = guarded(httpChain([], { earlyHeaderMutationExtensions }));

  expect(removedBy(chain)).toEqual(DESTINATION_HEADERS);
  expect(managerOf(chain)?.earlyHeaderMutationExtensions.slice(1)).toMatchObject(earlyHeaderMutationExtensions);
});

test('pickers are asked last: what refuses or changes a request does so before', () => {
  expect(filtersOf(guarded(httpChain(['envoy.filters.http.jwt_authn', 'envoy.filters.http.cors'])))).toEqual([
    'envoy.filters.http.jwt_authn',
    'envoy.filters.http.cors',
    ...PICK_FILTERS,
    'envoy.filters.http.router',
  ]);
});

test('without a filter that routes they are at the end', () => {
  const httpFilters = [{ name: 'envoy.filters.http.cors' }];

  expect(filtersOf(guarded(httpChain([], { httpFilters })))).toEqual(['envoy.filters.http.cors', ...PICK_FILTERS]);
});

test('each chain of filters is guarded, the default one too', () => {
  const result = guardedListener(
    listener({ filterChains: [httpChain(), httpChain()], defaultFilterChain: httpChain() }),
  );

  expect([...result.filterChains, result.defaultFilterChain!].map(isGuarded)).toEqual([true, true, true]);
});

describe('what is not of a Gateway stays byte for byte', () => {
  const ready = httpChain([], { routeSpecifier: { case: 'routeConfig', value: { name: 'ready_route' } } });
  const tcp = create(FilterChainSchema, {
    filters: [
      {
        name: 'envoy.filters.network.tcp_proxy',
        configType: {
          case: 'typedConfig',
          value: { typeUrl: 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy' },
        },
      },
    ],
  });
  const other = anyPack(StringValueSchema, create(StringValueSchema, { value: 'x' }));

  test.each<[string, FilterChain]>([
    ["that has routes of Envoy's own", ready],
    ['for TCP', tcp],
    ['without filters', create(FilterChainSchema)],
    ['whose filters are told by another server', create(FilterChainSchema, { filters: [{ name: 'discovered' }] })],
    [
      'of another type, whatever its name',
      create(FilterChainSchema, {
        filters: [
          { name: 'envoy.filters.network.http_connection_manager', configType: { case: 'typedConfig', value: other } },
        ],
      }),
    ],
  ])('a chain %s', (_, chain) => {
    const given = listener({ filterChains: [chain] });

    expect(toBinary(ListenerSchema, guardedListener(given))).toEqual(toBinary(ListenerSchema, given));
  });
});

test('what nobody here knows of stays', () => {
  const manager = withUnknown(HttpConnectionManagerSchema, managerOf(httpChain())!);
  const value = anyPack(HttpConnectionManagerSchema, manager);
  const chain = create(FilterChainSchema, { filters: [{ name: 'hcm', configType: { case: 'typedConfig', value } }] });
  const given = withUnknown(ListenerSchema, listener({ filterChains: [chain] }));

  const result = guardedListener(given);

  expect([hasUnknown(result), hasUnknown(managerOf(result.filterChains[0]!))]).toEqual([true, true]);
});

test('the listener that was given stays as it is', () => {
  const [given, same] = [0, 1].map(() => listener({ defaultFilterChain: httpChain() })) as [Listener, Listener];

  guardedListener(given);

  expect(given).toEqual(same);
});
