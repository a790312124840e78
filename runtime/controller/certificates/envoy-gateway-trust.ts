import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { MANAGED_BY_LABEL, MANAGER } from '../../../lib/translate/cluster/names';
import { CONTROL_PLANE_LIFETIMES } from './lifetimes';
import type { TrustDomain, WantedLeaf } from './trust-domain';

/** Where Envoy Gateway runs. */
export interface EnvoyGatewayPlace {
  readonly namespace: string;
  /** `cluster.local`. */
  readonly clusterDomain: string;
}

/** As Envoy Gateway's own certificate generation labels them, and ours. */
const LABELS = { 'control-plane': 'envoy-gateway', [MANAGED_BY_LABEL]: MANAGER };

/**
 * Envoy Gateway and its Envoys: the Secrets that its own generation of certificates would write, under the names and for
 * the hosts that it expects. That which its pods wait for comes last. Both read them again when they change.
 */
export function envoyGatewayTrust({ namespace, clusterDomain }: EnvoyGatewayPlace): TrustDomain {
  const service = `envoy-gateway.${namespace}`;
  const leaf = (name: string, commonName: string, dnsNames: readonly string[]): WantedLeaf => ({
    secret: controlPlaneSecret(name, namespace, 'kubernetes.io/tls'),
    commonName,
    dnsNames,
    usages: ['server', 'client'],
  });
  return {
    authority: controlPlaneSecret('envoy-gateway-authority', namespace, 'Opaque'),
    commonName: 'envoy-gateway',
    lifetimes: CONTROL_PLANE_LIFETIMES,
    leaves: [
      leaf('envoy', '*', [`*.${namespace}`]),
      leaf('envoy-rate-limit', '*', [`*.${namespace}`]),
      leaf('envoy-gateway', 'envoy-gateway', [
        'envoy-gateway',
        service,
        `${service}.svc`,
        `${service}.svc.${clusterDomain}`,
      ]),
    ],
  };
}

/** The Secret by which Envoys of several replicas read each other's cookies. */
export function cookieKeySecret({ namespace }: EnvoyGatewayPlace): KubernetesObject {
  return controlPlaneSecret('envoy-oidc-hmac', namespace, 'Opaque');
}

function controlPlaneSecret(name: string, namespace: string, type: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels: LABELS }, type };
}
