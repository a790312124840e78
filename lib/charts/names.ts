/** Namespace of an installation unless another is asked for. */
export const SYSTEM_NAMESPACE = 'inference-gateway';

/** The controller's Deployment, ServiceAccount, Service, roles and everything else of it. */
export const CONTROLLER = 'hyperpod-inference-gateway-controller';

/** Lease by which one of the controller's pods leads. */
export const LEASE = 'inference-gateway-controller';

/** Envoy Gateway looks for its own objects under this name. */
export const ENVOY_GATEWAY = 'envoy-gateway';

/** On everything of an installation; objects that the controller makes are told by other labels. */
export const PART_OF = { 'app.kubernetes.io/part-of': 'hyperpod-inference-gateway' };

/** Port of `/metrics`, `/healthz` and `/readyz`. */
export const METRICS_PORT = 9090;
