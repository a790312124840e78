import { envoyAddress, splitHostPort } from './address';
import { CONNECTION_BUFFER_BYTES } from './connection-buffer';
import { DESTINATION_ENDPOINT_HEADER } from './control-headers';
import { type EnvoyState, type Pool, pools } from './envoy-state';
import type { JsonObject } from './json';
import { type EnvoyOptions, seconds } from './options';
import { DEFAULT_BACKEND_CLUSTER, PROCESSOR_CLUSTER, TYPE_URL } from './resource-names';
import {
  CONNECT_TIMEOUT_MS,
  IDLE_CONNECTION_MS,
  PROCESSOR_CONNECT_TIMEOUT_MS,
  PROCESSOR_CONNECTION_WINDOW,
  PROCESSOR_STREAM_WINDOW,
  TCP_KEEPALIVE,
  UNLIMITED,
} from './upstream-settings';

/** The clusters that come and go: one a pool, and the default backend. `endpointsFile` names a pool's EDS file. */
export function dynamicClusters(state: EnvoyState, endpointsFile: (pool: Pool) => string): readonly JsonObject[] {
  return [
    ...pools(state).map((pool) => poolCluster(pool, endpointsFile(pool))),
    ...(state.defaultBackend ? [defaultBackendCluster(state.defaultBackend)] : []),
  ];
}

function poolCluster(pool: Pool, endpointsFile: string): JsonObject {
  return {
    '@type': TYPE_URL.cluster,
    name: pool.name,
    type: 'EDS',
    eds_cluster_config: { eds_config: { path_config_source: { path: endpointsFile }, resource_api_version: 'V3' } },
    load_balancing_policy: {
      policies: [
        {
          typed_extension_config: {
            name: 'envoy.load_balancing_policies.override_host',
            typed_config: {
              '@type': 'type.googleapis.com/envoy.extensions.load_balancing_policies.override_host.v3.OverrideHost',
              override_host_sources: [
                { header: DESTINATION_ENDPOINT_HEADER },
                { metadata: { key: 'envoy.lb', path: [{ key: DESTINATION_ENDPOINT_HEADER }] } },
              ],
              fallback_policy: leastRequest(),
            },
          },
        },
      ],
    },
    // A pod that is not ready is no better than none: without this Envoy would use them when all are not ready.
    common_lb_config: { healthy_panic_threshold: { value: 0 } },
    ...upstream(pool.http2),
  };
}

function defaultBackendCluster(backend: { readonly name: string; readonly port: number }): JsonObject {
  return {
    '@type': TYPE_URL.cluster,
    name: DEFAULT_BACKEND_CLUSTER,
    type: 'STRICT_DNS',
    dns_lookup_family: 'V4_PREFERRED',
    load_assignment: {
      cluster_name: DEFAULT_BACKEND_CLUSTER,
      endpoints: [
        { lb_endpoints: [{ endpoint: { address: envoyAddress({ host: backend.name, port: backend.port }) } }] },
      ],
    },
    load_balancing_policy: leastRequest(),
    ...upstream(false),
  };
}

/** The processor. Static: it outlives every edit of the objects. */
export function processorCluster(options: EnvoyOptions): JsonObject {
  return {
    name: PROCESSOR_CLUSTER,
    type: 'STATIC',
    connect_timeout: seconds(PROCESSOR_CONNECT_TIMEOUT_MS),
    per_connection_buffer_limit_bytes: CONNECTION_BUFFER_BYTES,
    load_assignment: {
      cluster_name: PROCESSOR_CLUSTER,
      endpoints: [{ lb_endpoints: [{ endpoint: { address: envoyAddress(options.processor) } }] }],
    },
    circuit_breakers: circuitBreakers(),
    typed_extension_protocol_options: httpOptions({
      explicit_http_config: {
        http2_protocol_options: {
          initial_stream_window_size: PROCESSOR_STREAM_WINDOW,
          initial_connection_window_size: PROCESSOR_CONNECTION_WINDOW,
          max_concurrent_streams: UNLIMITED,
        },
      },
    }),
  };
}

/** A pool's `ClusterLoadAssignment`. */
export function clusterLoadAssignment(pool: Pool): JsonObject {
  return {
    '@type': TYPE_URL.endpoints,
    cluster_name: pool.name,
    endpoints: [
      {
        lb_endpoints: pool.endpoints.map((endpoint) => ({
          // Envoy's own balancing leaves an unhealthy pod out; the picker may still name it.
          health_status: endpoint.ready ? 'HEALTHY' : 'UNHEALTHY',
          endpoint: { address: envoyAddress(splitHostPort(endpoint.address)) },
        })),
      },
    ],
  };
}

function upstream(http2: boolean): JsonObject {
  return {
    connect_timeout: seconds(CONNECT_TIMEOUT_MS),
    per_connection_buffer_limit_bytes: CONNECTION_BUFFER_BYTES,
    circuit_breakers: circuitBreakers(),
    upstream_connection_options: {
      tcp_keepalive: {
        keepalive_time: TCP_KEEPALIVE.idleSeconds,
        keepalive_interval: TCP_KEEPALIVE.intervalSeconds,
        keepalive_probes: TCP_KEEPALIVE.probes,
      },
    },
    typed_extension_protocol_options: httpOptions({
      common_http_protocol_options: { idle_timeout: seconds(IDLE_CONNECTION_MS) },
      explicit_http_config: http2 ? { http2_protocol_options: {} } : { http_protocol_options: {} },
    }),
  };
}

function circuitBreakers(): JsonObject {
  return {
    thresholds: [
      {
        priority: 'DEFAULT',
        max_connections: UNLIMITED,
        max_pending_requests: UNLIMITED,
        max_requests: UNLIMITED,
        max_retries: UNLIMITED,
      },
    ],
  };
}

function leastRequest(): JsonObject {
  return {
    policies: [
      {
        typed_extension_config: {
          name: 'envoy.load_balancing_policies.least_request',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest',
          },
        },
      },
    ],
  };
}

function httpOptions(options: JsonObject): JsonObject {
  return {
    'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      ...options,
    },
  };
}
