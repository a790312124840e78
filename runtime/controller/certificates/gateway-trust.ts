import type { InferenceGatewayConfig } from '../../../lib/api/inference-gateway-config/inference-gateway-config';
import { internalCertificates } from '../../../lib/translate/cluster/ingress/internal-certificates';
import { gatewayNames } from '../../../lib/translate/cluster/names';
import { ownedObjects } from '../../../lib/translate/cluster/owned-object';
import { shortName } from '../../../lib/translate/cluster/short-name';
import type { Installation, World } from '../../../lib/translate/cluster/types';
import { INTERNAL_LIFETIMES } from './lifetimes';
import type { TrustDomain } from './trust-domain';

/** The names of what is inside do not depend on the cluster around it. */
const NOTHING_KNOWN: World = { configs: [], objects: [], certManager: false, loadBalancerController: false };

/** Envoys, routers and pickers of a gateway, which trust each other and nobody else. */
export function gatewayTrust(config: InferenceGatewayConfig, installation: Installation): TrustDomain {
  const make = ownedObjects(config);
  const secret = (name: string, namespace: string, type: string) => make('v1', 'Secret', { name, namespace }, { type });
  const authority = shortName(config.metadata.name, 'internal-authority');
  return {
    authority: secret(authority, installation.systemNamespace, 'Opaque'),
    commonName: gatewayNames(config).gateway,
    lifetimes: INTERNAL_LIFETIMES,
    leaves: internalCertificates(config, installation, NOTHING_KNOWN).map(({ name, namespace, dnsNames, client }) => ({
      secret: secret(name, namespace, 'kubernetes.io/tls'),
      commonName: name,
      dnsNames,
      usages: [...(dnsNames.length > 0 ? ['server' as const] : []), ...(client ? ['client' as const] : [])],
    })),
  };
}
