import { items, propertyAt, textOf } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { gatewayNames } from '../../lib/translate/cluster/names';
import type { World } from '../../lib/translate/cluster/types';
import type { ClientCertificate } from './gateway-certificates';
import { ownerOfConfig } from './owner';
import type { Watches } from './watches';

type Known = Pick<Watches, 'configs' | 'referred' | 'mayBeServed' | 'owned' | 'envoys'>;

/** What is known of the cluster around a config. */
export function worldOf(
  config: KubernetesObject,
  watches: Known,
  certificate: ClientCertificate,
): Omit<World, 'foreign'> {
  const { issued } = certificate;
  const hostname = loadBalancerHostname(config, watches);
  const authority = authorityOf(config, watches, certificate);
  return {
    configs: watches.configs(),
    objects: watches.referred(config.metadata.namespace ?? 'default'),
    certManager: watches.mayBeServed('cert-manager.io/v1', 'Certificate'),
    loadBalancerController: watches.mayBeServed('elbv2.k8s.aws/v1beta1', 'TargetGroupBinding'),
    ...(hostname !== undefined && { loadBalancerHostname: hostname }),
    ...(authority !== undefined && { certificateAuthority: authority }),
    ...(issued?.acmArn !== undefined && { importedCertificateArn: issued.acmArn }),
  };
}

/**
 * That which is published already, while there is no certificate: the Secret of one that is issued again may be away for a
 * moment, and pods that mount what is published start all the same.
 */
function authorityOf(config: KubernetesObject, watches: Known, { authority, issued }: ClientCertificate) {
  if (authority !== undefined || issued?.issuedAt !== undefined) return authority;
  const { name, namespace = 'default' } = config.metadata;
  const published = gatewayNames({ metadata: { name, namespace } }).authority;
  const configMap = watches
    .owned(ownerOfConfig(config))
    .find(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === published && metadata.namespace === namespace,
    );
  return textOf(propertyAt(configMap, 'data', 'ca.crt'));
}

/** Of the Ingress where there is one: the Service then is behind it. */
function loadBalancerHostname(config: KubernetesObject, watches: Known): string | undefined {
  const { name, namespace = 'default' } = config.metadata;
  const ingresses = watches.owned(ownerOfConfig(config)).filter(({ kind }) => kind === 'Ingress');
  const services = watches
    .envoys(gatewayNames({ metadata: { name, namespace } }).gateway)
    .filter(({ kind }) => kind === 'Service');
  return [...ingresses, ...services]
    .flatMap(({ status }) => items(propertyAt(status, 'loadBalancer', 'ingress')))
    .map((ingress) => textOf(propertyAt(ingress, 'hostname')))
    .find((hostname) => hostname !== undefined);
}
