/** Names of Envoy's own resources; none of them comes from a client or an object. */
export const PROCESSOR_CLUSTER = 'ext-proc';
export const DEFAULT_BACKEND_CLUSTER = 'default-backend';
export const ROUTE_CONFIGURATION = 'gateway';
export const LISTENER_NAME = 'gateway';
/** `stat_prefix` of the connection manager. */
export const STAT_PREFIX = 'gateway';

/** Type URLs of the resources that Envoy reads from files. */
export const TYPE_URL = {
  listener: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  cluster: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  routes: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
  endpoints: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
} as const;
