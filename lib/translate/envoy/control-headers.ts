/** Names the pod that Envoy sends the request to; a comma-separated list, tried in order. */
export const DESTINATION_ENDPOINT_HEADER = 'x-gateway-destination-endpoint';
/** Names the scheduler of a request by its model. */
export const BASE_MODEL_NAME_HEADER = 'x-gateway-base-model-name';
/** Sends a request for an unknown model to `spec.bbr.defaultBackend`. */
export const DEFAULT_BACKEND_HEADER = 'x-gateway-default-backend';
/** On a response: the pod that it came from. */
export const SERVED_ENDPOINT_HEADER = 'x-gateway-destination-endpoint-served';

/** Names the InferenceObjective of a request. */
export const OBJECTIVE_HEADER = 'x-gateway-inference-objective';
/** Names the tenant of a request. */
export const TENANT_HEADER = 'x-gateway-inference-fairness-id';
/** Their other names, by which a client may send them too. */
export const OBJECTIVE_ALIAS_HEADER = 'x-llm-d-inference-objective';
export const TENANT_ALIAS_HEADER = 'x-llm-d-inference-fairness-id';

/** Headers that say what a request is: removed as early, where verified claims say it and Envoy writes them itself. */
export const IDENTITY_HEADERS: readonly string[] = [
  OBJECTIVE_HEADER,
  OBJECTIVE_ALIAS_HEADER,
  TENANT_HEADER,
  TENANT_ALIAS_HEADER,
];

/**
 * Request headers that choose an address or forge a decision. Envoy removes them before it does anything else, so that
 * a client's are not obeyed even when the processor is dead. `x-gateway-model-name` is not among them: it only names a
 * model, and the body wins over it.
 */
export const EARLY_REMOVED_HEADERS: readonly string[] = [
  ...['x-gateway-', 'x-llm-d-'].flatMap((prefix) =>
    [
      'destination-endpoint',
      'destination-endpoint-subset',
      'destination-endpoint-served',
      'base-model-name',
      'model-name-rewrite',
    ].map((name) => prefix + name),
  ),
  DEFAULT_BACKEND_HEADER,
];

/** Headers by which a client could raise the number of retries or change time-outs; Envoy obeys them from any client. */
export const EARLY_REMOVED_ENVOY_HEADERS: readonly string[] = [
  'x-envoy-max-retries',
  'x-envoy-retry-on',
  'x-envoy-retry-grpc-on',
  'x-envoy-retriable-header-names',
  'x-envoy-retriable-status-codes',
  'x-envoy-upstream-rq-timeout-ms',
  'x-envoy-upstream-rq-per-try-timeout-ms',
  'x-envoy-hedge-on-per-try-timeout',
  'x-envoy-upstream-alt-stat-name',
];
