/** Answered by each Envoy itself, 503 while it drains: what load balancers ask. */
export const ENVOY_HEALTH_PATH = '/healthz';
