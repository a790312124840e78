import type { RetryState } from '../gateway-state';
import { BASE_MODEL_NAME_HEADER, DEFAULT_BACKEND_HEADER, SERVED_ENDPOINT_HEADER } from './control-headers';
import { catchAllScheduler, type EnvoyState, poolName } from './envoy-state';
import type { JsonObject } from './json';
import { seconds } from './options';
import { DEFAULT_BACKEND_CLUSTER, ROUTE_CONFIGURATION } from './resource-names';
import { ROUTER_UNAVAILABLE } from './router-unavailable';
import { DEFAULT_RETRY, RETRY_BACK_OFF, retryTriggers } from './upstream-settings';

/**
 * The routes: a scheduler's by the base model that the processor names, the default backend's, and last the catch-all,
 * on which every request begins. With one scheduler the catch-all leads to its pods, so that Envoy balances alone when
 * the processor is dead; with several it answers 503, because nobody has said which model is asked for.
 */
export function routeConfiguration(state: EnvoyState): JsonObject {
  return {
    name: ROUTE_CONFIGURATION,
    // A route may be published before its cluster; its requests get 503 meanwhile, the other routes stay.
    validate_clusters: false,
    response_headers_to_add: [
      {
        header: { key: SERVED_ENDPOINT_HEADER, value: '%UPSTREAM_REMOTE_ADDRESS%' },
        append_action: 'OVERWRITE_IF_EXISTS_OR_ADD',
      },
    ],
    virtual_hosts: [
      {
        name: ROUTE_CONFIGURATION,
        domains: ['*'],
        // Here and not in the listener, so that a new limit drains no connection.
        typed_per_filter_config: {
          'envoy.filters.http.buffer': {
            '@type': 'type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute',
            buffer: { max_request_bytes: state.maxRequestBodyBytes },
          },
        },
        // A retry needs the whole body again.
        request_body_buffer_limit: state.maxRequestBodyBytes,
        routes: [...modelRoutes(state), ...defaultBackendRoutes(state), catchAllRoute(state)],
      },
    ],
  };
}

function modelRoutes(state: EnvoyState): JsonObject[] {
  const byModel = new Map<string, JsonObject>();
  for (const scheduler of state.schedulers) {
    if (scheduler.modelName === undefined || byModel.has(scheduler.modelName)) continue;
    byModel.set(scheduler.modelName, {
      match: { prefix: '/', headers: [{ name: BASE_MODEL_NAME_HEADER, string_match: { exact: scheduler.modelName } }] },
      route: toScheduler(scheduler),
    });
  }
  return [...byModel.values()];
}

function defaultBackendRoutes(state: EnvoyState): JsonObject[] {
  if (state.defaultBackend === undefined) return [];
  return [
    {
      match: { prefix: '/', headers: [{ name: DEFAULT_BACKEND_HEADER, present_match: true }] },
      route: toCluster(DEFAULT_BACKEND_CLUSTER),
    },
  ];
}

function catchAllRoute(state: EnvoyState): JsonObject {
  const scheduler = catchAllScheduler(state);
  if (scheduler) return { match: { prefix: '/' }, route: toScheduler(scheduler) };
  return {
    match: { prefix: '/' },
    direct_response: { status: ROUTER_UNAVAILABLE.status, body: { inline_string: ROUTER_UNAVAILABLE.body } },
    response_headers_to_add: [
      { header: { key: 'content-type', value: 'application/json' }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' },
    ],
  };
}

function toScheduler(scheduler: EnvoyState['schedulers'][number]): JsonObject {
  return toCluster(poolName(scheduler), scheduler.routeTimeoutMs, scheduler.retry);
}

function toCluster(cluster: string, timeoutMs = 0, retry = DEFAULT_RETRY): JsonObject {
  return {
    cluster,
    // Generation takes as long as it takes; the stream idle time-out ends what has died.
    timeout: seconds(timeoutMs),
    ...(retry.attempts > 0 && { retry_policy: retryPolicy(retry) }),
  };
}

function retryPolicy(retry: RetryState): JsonObject {
  return {
    retry_on: retryTriggers(retry).join(','),
    num_retries: retry.attempts,
    retry_host_predicate: [
      {
        name: 'envoy.retry_host_predicates.previous_hosts',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate',
        },
      },
    ],
    // Hosts are drawn at random until one is new: enough draws for a small pool that is mostly dead.
    host_selection_retry_max_attempts: 30,
    retry_back_off: {
      base_interval: seconds(RETRY_BACK_OFF.baseMs),
      max_interval: seconds(RETRY_BACK_OFF.maxMs),
    },
  };
}
