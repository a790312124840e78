/** Labels by which Envoy Gateway says for which Gateway it has made something. */
export const OWNING_GATEWAY_NAME = 'gateway.envoyproxy.io/owning-gateway-name';
export const OWNING_GATEWAY_NAMESPACE = 'gateway.envoyproxy.io/owning-gateway-namespace';
