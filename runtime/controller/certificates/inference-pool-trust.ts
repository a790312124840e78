import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { CONTROLLER, INFERENCE_POOL_SECRETS, MANAGED_BY_LABEL, MANAGER } from '../../../lib/translate/cluster/names';
import type { EnvoyGatewayPlace } from './envoy-gateway-trust';
import type { LeafUsage } from './issue';
import { INFERENCE_POOL_LIFETIMES } from './lifetimes';
import type { TrustDomain, WantedLeaf } from './trust-domain';

const { authority, ca, server, envoyGateway, envoy } = INFERENCE_POOL_SECRETS;

/**
 * The controller, where it makes InferencePools backends, and who asks it: Envoy Gateway, which reads its Secrets itself,
 * and Envoys, which get theirs with their configuration. All in the namespace of the controller.
 */
export function inferencePoolTrust({ namespace, clusterDomain }: EnvoyGatewayPlace): TrustDomain {
  const secret = (name: string, type: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { [MANAGED_BY_LABEL]: MANAGER } },
    type,
  });
  const leaf = (name: string, dnsNames: readonly string[], usage: LeafUsage): WantedLeaf => ({
    secret: secret(name, 'kubernetes.io/tls'),
    commonName: name,
    dnsNames,
    usages: [usage],
  });
  return {
    authority: secret(authority, 'Opaque'),
    commonName: 'inference-pools',
    lifetimes: INFERENCE_POOL_LIFETIMES,
    published: secret(ca, 'Opaque'),
    leaves: [
      leaf(server, [`${CONTROLLER}.${namespace}.svc.${clusterDomain}`], 'server'),
      leaf(envoyGateway, [`envoy-gateway.${namespace}`], 'client'),
      leaf(envoy, [`envoy.${namespace}`], 'client'),
    ],
  };
}
