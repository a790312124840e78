import { create, type JsonObject } from '@bufbuild/protobuf';
import { type Metadata, MetadataSchema } from '../../envoy-api/generated/envoy/config/core/v3/base_pb';
import type { Route } from '../../envoy-api/generated/envoy/config/route/v3/route_components_pb';
import type { BackendPool } from '../backend-pool';

/** Of the metadata of routes: which pools they lead to. The hook that sees everything is not told by Envoy Gateway. */
const NAMESPACE = 'inference-gateway.pools';

/** The route, with the pools that it leads to. It stays there: in Envoy's config dump it tells who made the route what it is. */
export function stamped(route: Route, pools: readonly BackendPool[]): Route {
  const metadata: Metadata = route.metadata ?? create(MetadataSchema);
  return {
    ...route,
    metadata: {
      ...metadata,
      filterMetadata: { ...metadata.filterMetadata, [NAMESPACE]: { pools: pools as unknown as JsonObject[] } },
    },
  };
}

/** The pools of a stamped route; none of any other. */
export function poolsOf({ metadata }: Route): readonly BackendPool[] {
  const stamp = metadata?.filterMetadata[NAMESPACE];
  return (stamp?.pools ?? []) as unknown as readonly BackendPool[];
}
