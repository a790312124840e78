import { clone } from '@bufbuild/protobuf';
import { anyPack, anyUnpack } from '@bufbuild/protobuf/wkt';
import { type Listener, ListenerSchema } from '../../envoy-api/generated/envoy/config/listener/v3/listener_pb';
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
} from '../../envoy-api/generated/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb';
import { HeaderMutationSchema } from '../../envoy-api/generated/envoy/extensions/http/early_header_mutation/header_mutation/v3/header_mutation_pb';
import { DESTINATION_HEADERS } from './destination-headers';
import { extensionConfig } from './extension-config';
import { pickFilters } from './pick-filters';

const ROUTER = 'envoy.filters.http.router';

/**
 * A listener on which no client chooses an address, and routes can ask pickers: headers that name one are removed before
 * anything looks at them, whether the Gateway has pools or not.
 */
export function guardedListener(listener: Listener): Listener {
  const guarded = clone(ListenerSchema, listener);
  for (const { value, manager } of managersOf(guarded)) {
    guardManager(manager);
    anyPack(HttpConnectionManagerSchema, manager, value);
  }
  return guarded;
}

/** Names of the routes of those that say themselves how long an answer may be silent. */
export function idlingRoutes(listener: Listener): string[] {
  return managersOf(listener).flatMap(({ manager: { routeSpecifier, streamIdleTimeout } }) =>
    streamIdleTimeout && routeSpecifier.case === 'rds' ? [routeSpecifier.value.routeConfigName] : [],
  );
}

/** Those with routes of their own are Envoy's, for its readiness and metrics. */
function managersOf({ filterChains, defaultFilterChain }: Listener) {
  const chains = defaultFilterChain ? [...filterChains, defaultFilterChain] : filterChains;
  return chains.flatMap(({ filters }) =>
    filters.flatMap(({ configType }) => {
      if (configType.case !== 'typedConfig') return [];
      const manager = anyUnpack(configType.value, HttpConnectionManagerSchema);
      return manager?.routeSpecifier.case === 'rds' ? [{ value: configType.value, manager }] : [];
    }),
  );
}

function guardManager(manager: HttpConnectionManager): void {
  manager.earlyHeaderMutationExtensions.unshift(
    extensionConfig('envoy.http.early_header_mutation.header_mutation', HeaderMutationSchema, {
      mutations: DESTINATION_HEADERS.map((name) => ({ action: { case: 'remove' as const, value: name } })),
    }),
  );
  const end = manager.httpFilters.findIndex(({ name }) => name === ROUTER);
  manager.httpFilters.splice(end === -1 ? manager.httpFilters.length : end, 0, ...pickFilters());
}
