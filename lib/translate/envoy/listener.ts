import { MAX_REQUEST_BODY_BYTES } from '../../api/inference-gateway-config/bbr';
import { ACCESS_LOG_FIELDS } from './access-log';
import { envoyAddress } from './address';
import { CONNECTION_BUFFER_BYTES } from './connection-buffer';
import { EARLY_REMOVED_ENVOY_HEADERS, EARLY_REMOVED_HEADERS, IDENTITY_HEADERS } from './control-headers';
import { type EnvoyState, holdMs } from './envoy-state';
import type { Json, JsonObject } from './json';
import { localReplyConfig } from './local-replies';
import { type EnvoyOptions, seconds } from './options';
import { LISTENER_NAME, PROCESSOR_CLUSTER, ROUTE_CONFIGURATION, STAT_PREFIX, TYPE_URL } from './resource-names';
import { HEADERS_RECEIVED_MS, REQUEST_RECEIVED_MS, STREAM_IDLE_MS } from './upstream-settings';

/** What the processor has beyond its longest hold: time to decide, and to answer itself. Milliseconds. */
export const ANSWER_MS = 2_000;

/** What the processor is told of a response: who gave it. */
export const RESPONSE_ATTRIBUTES = [
  'upstream.address',
  'upstream.request_attempt_count',
  'response.code_details',
] as const;

/**
 * The listener. Of the state it depends on the longest hold and on `claims` alone, because each change of it drains
 * every connection.
 */
export function listener(state: EnvoyState, options: EnvoyOptions, routesFile: string): JsonObject {
  return {
    '@type': TYPE_URL.listener,
    name: LISTENER_NAME,
    per_connection_buffer_limit_bytes: CONNECTION_BUFFER_BYTES,
    address: envoyAddress(options.listen),
    filter_chains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typed_config: connectionManager(state, options, routesFile),
          },
        ],
      },
    ],
  };
}

function connectionManager(state: EnvoyState, options: EnvoyOptions, routesFile: string): JsonObject {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: STAT_PREFIX,
    // HTTP/1.1, and HTTP/2 without TLS for clients that begin with it.
    codec_type: 'AUTO',
    rds: {
      route_config_name: ROUTE_CONFIGURATION,
      config_source: { path_config_source: { path: routesFile }, resource_api_version: 'V3' },
    },
    use_remote_address: true,
    always_set_request_id_in_response: true,
    request_headers_timeout: seconds(HEADERS_RECEIVED_MS),
    request_timeout: seconds(REQUEST_RECEIVED_MS),
    stream_idle_timeout: seconds(options.streamIdleTimeoutMs ?? STREAM_IDLE_MS),
    early_header_mutation_extensions: [
      {
        name: 'envoy.http.early_header_mutation.header_mutation',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation',
          mutations: [
            ...EARLY_REMOVED_HEADERS,
            ...EARLY_REMOVED_ENVOY_HEADERS,
            ...(state.claims === true ? IDENTITY_HEADERS : []),
          ].map((name) => ({ remove: name })),
        },
      },
    ],
    local_reply_config: localReplyConfig(),
    ...(options.accessLog && { access_log: [accessLog()] }),
    http_filters: [
      filter('buffer', {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer',
        // The routes carry the limit in force.
        max_request_bytes: MAX_REQUEST_BODY_BYTES,
      }),
      filter('ext_proc', processorFilter(state)),
      filter('router', {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
        suppress_envoy_headers: true,
      }),
    ],
  };
}

/** One filter: the body crosses the process boundary once, and Envoy balances on its own when the processor is dead. */
function processorFilter(state: EnvoyState): JsonObject {
  return {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor',
    grpc_service: { envoy_grpc: { cluster_name: PROCESSOR_CLUSTER } },
    failure_mode_allow: true,
    allow_mode_override: true,
    message_timeout: seconds(holdMs(state) + ANSWER_MS),
    processing_mode: {
      request_header_mode: 'SEND',
      request_body_mode: 'BUFFERED',
      request_trailer_mode: 'SKIP',
      response_header_mode: 'SEND',
      response_body_mode: 'NONE',
      response_trailer_mode: 'SKIP',
    },
    response_attributes: RESPONSE_ATTRIBUTES,
    metadata_options: { receiving_namespaces: { untyped: ['envoy.lb'] } },
  };
}

function filter(name: string, config: JsonObject): JsonObject {
  return { name: `envoy.filters.http.${name}`, typed_config: config };
}

function accessLog(): Json {
  return {
    name: 'envoy.access_loggers.stderr',
    typed_config: {
      '@type': 'type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StderrAccessLog',
      log_format: {
        json_format: ACCESS_LOG_FIELDS,
      },
    },
  };
}
