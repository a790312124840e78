import type { InferenceGatewayConfig } from '../../../api/inference-gateway-config/inference-gateway-config';

export type EndpointType = 'nlb' | 'alb' | 'clusterIP';

/** How clients reach the gateway. */
export function endpointType({ spec }: InferenceGatewayConfig): EndpointType {
  if (spec.endpoint.type !== undefined) return spec.endpoint.type;
  if (spec.endpoint.targetGroupArn !== undefined) return 'clusterIP';
  return acmArn(spec) === undefined ? 'nlb' : 'alb';
}

/** The certificate that a load balancer shows; undefined where one is issued. */
export function acmArn({ tls }: Pick<InferenceGatewayConfig['spec'], 'tls'>): string | undefined {
  return tls?.acmArn === '' ? undefined : tls?.acmArn;
}
