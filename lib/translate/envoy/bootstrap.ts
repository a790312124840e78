import { envoyAddress } from './address';
import { processorCluster } from './clusters';
import type { JsonObject } from './json';
import type { EnvoyOptions } from './options';

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

/** Bodies wait in Envoy's memory for the processor: from 80 % new requests get 503, at the bound uploads are cut. */
function overloadManager(maxHeapBytes: number): JsonObject {
  return {
    refresh_interval: '0.1s',
    buffer_factory_config: { minimum_account_to_track_power_of_two: 20 },
    resource_monitors: [
      {
        name: 'envoy.resource_monitors.fixed_heap',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig',
          max_heap_size_bytes: maxHeapBytes,
        },
      },
      {
        name: 'envoy.resource_monitors.global_downstream_max_connections',
        typed_config: {
          '@type':
            'type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig',
          max_active_downstream_connections: 50_000,
        },
      },
    ],
    actions: [
      heapAction('envoy.overload_actions.shrink_heap', { threshold: { value: 0.75 } }),
      heapAction('envoy.overload_actions.stop_accepting_requests', { threshold: { value: 0.8 } }),
      heapAction('envoy.overload_actions.reset_high_memory_stream', {
        scaled: { scaling_threshold: 0.9, saturation_threshold: 1 },
      }),
    ],
    // That resets HTTP/2 streams only; an HTTP/1.1 upload admitted earlier ends here.
    loadshed_points: [heapAction('envoy.load_shed_points.http1_server_abort_dispatch', { threshold: { value: 1 } })],
  };
}

function heapAction(name: string, trigger: JsonObject): JsonObject {
  return { name, triggers: [{ name: 'envoy.resource_monitors.fixed_heap', ...trigger }] };
}
