/** Namespace of an installation unless another is asked for. */
export const SYSTEM_NAMESPACE = 'inference-gateway';

export { CONTROLLER } from '../translate/cluster/names';

/** Lease by which one of the controller's pods leads. */
export const LEASE = 'inference-gateway-controller';

/** Envoy Gateway looks for its own objects under this name. */
export const ENVOY_GATEWAY = 'envoy-gateway';

/** On everything of an installation; objects that the controller makes are told by other labels. */
export const PART_OF = { 'app.kubernetes.io/part-of': 'hyperpod-inference-gateway' };

/** Port of `/metrics`, `/healthz` and `/readyz`. */
export const METRICS_PORT = 9090;

/** Labels of every Envoy that Envoy Gateway runs. */
export const ENVOYS = { 'app.kubernetes.io/managed-by': 'envoy-gateway', 'app.kubernetes.io/component': 'proxy' };

/** Labels of every Envoy Gateway, whoever has installed it. */
export const ENVOY_GATEWAYS = { 'control-plane': 'envoy-gateway' };

/** Name of the port at which the controller makes InferencePools backends. */
export const INFERENCE_POOLS_PORT = 'inference-pools';
