import type { InferenceGatewayConfig } from '../../../../../lib/api/inference-gateway-config/inference-gateway-config';
import type { Installation } from '../../../../../lib/translate/cluster/types';
import { accepted, gatewayConfig, type Json } from '../../../../lib/api/support/manifests';

export const INSTALLATION: Installation = {
  systemNamespace: 'system',
  envoyNamespace: 'system',
  gatewayControllerName: 'gateway.envoyproxy.io/gatewayclass-controller',
  image: { reference: 'gateway:1', pullPolicy: 'IfNotPresent', pullSecrets: [] },
  clusterDomain: 'cluster.local',
};

/** A gateway `gw` of namespace `models`. */
export function gateway(spec: Json = {}, more: Json = {}): InferenceGatewayConfig {
  const metadata = { name: 'gw', namespace: 'models', uid: 'uid-1' };
  return accepted({ ...gatewayConfig(spec, metadata), ...more }) as unknown as InferenceGatewayConfig;
}
