import { envoyAddress } from './address';
import { processorCluster } from './clusters';
import type { JsonObject } from './json';
import type { EnvoyOptions } from './options';
import { HEAP_ACTIONS, HEAP_LOADSHED_POINTS, heapMonitor, TRACKED_ACCOUNT_POWER } from './overload';

const DEFAULT_MAX_HEAP_BYTES = 4 * 1024 ** 3;

/** Envoy's bootstrap: what never changes while it runs. The rest comes from the files it names. */
export function bootstrap(options: EnvoyOptions, files: { listeners: string; clusters: string }): JsonObject {
  return {
    node: { id: 'inference-gateway', cluster: 'inference-gateway' },
    admin: { address: envoyAddress(options.admin) },
    dynamic_resources: {
      lds_config: { path_config_source: { path: files.listeners }, resource_api_version: 'V3' },
      cds_config: { path_config_source: { path: files.clusters }, resource_api_version: 'V3' },
    },
    static_resources: { clusters: [processorCluster(options)] },
    layered_runtime: {
      layers: [
        {
          name: 'static',
          static_layer: {
            // Without it Envoy resets each ext_proc stream at its end, which HTTP/2 servers take for an attack.
            'envoy.reloadable_features.ext_proc_graceful_grpc_close': true,
          },
        },
      ],
    },
    overload_manager: overloadManager(options.maxHeapBytes ?? DEFAULT_MAX_HEAP_BYTES),
  };
}

function overloadManager(maxHeapBytes: number): JsonObject {
  return {
    refresh_interval: '0.1s',
    buffer_factory_config: { minimum_account_to_track_power_of_two: TRACKED_ACCOUNT_POWER },
    resource_monitors: [
      heapMonitor(maxHeapBytes),
      {
        name: 'envoy.resource_monitors.global_downstream_max_connections',
        typed_config: {
          '@type':
            'type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
          max_active_downstream_connections: 50_000,
        },
      },
    ],
    actions: HEAP_ACTIONS,
    loadshed_points: HEAP_LOADSHED_POINTS,
  };
}
