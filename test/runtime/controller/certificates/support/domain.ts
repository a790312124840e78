import type { KubernetesObject } from '../../../../../lib/translate/cluster/kubernetes-object';
import type { HeldLeaf } from '../../../../../runtime/controller/certificates/leaf-secret';
import { heldLeaf } from '../../../../../runtime/controller/certificates/leaf-secret';
import type { TrustDomain } from '../../../../../runtime/controller/certificates/trust-domain';
import { resourceOf } from '../../../../../runtime/kubernetes/resources';
import type { MemoryApi } from '../../support/memory-api';
import { DAY } from './issuing';

const SECRETS = resourceOf('v1', 'Secret');
const LABELS = { 'app.kubernetes.io/managed-by': 'inference-gateway-controller', gateway: 'gw' };

export const LEAVES = ['gw-envoy-cert', 'gw-bbr-cert', 'gw-epp-cert'] as const;
export const AUTHORITY = 'gw-internal-authority';
/** Milliseconds. */
export const GRACE = 3_600_000;

/** An Envoy that connects to a router that connects to a picker. */
export const DOMAIN: TrustDomain = {
  authority: secret(AUTHORITY, 'Opaque'),
  commonName: 'gw',
  lifetimes: { authority: 60 * DAY, leaf: 9 * DAY },
  leaves: [
    { secret: secret(LEAVES[0]), commonName: 'envoy', dnsNames: [], usages: ['client'] },
    { secret: secret(LEAVES[1]), commonName: 'router', dnsNames: ['gw-bbr.system.svc'], usages: ['server', 'client'] },
    { secret: secret(LEAVES[2]), commonName: 'picker', dnsNames: ['*.models.svc'], usages: ['server'] },
  ],
};

export function secretOf(api: MemoryApi, name: string): KubernetesObject | undefined {
  return api.cluster.get(SECRETS, name, 'system');
}

export function heldIn(api: MemoryApi, name: string): HeldLeaf {
  return heldLeaf(secretOf(api, name));
}

/** As somebody who edits a Secret. */
export function putSecret(api: MemoryApi, object: KubernetesObject): void {
  api.cluster.put(SECRETS, object);
}

export function deleteSecret(api: MemoryApi, name: string): void {
  if (secretOf(api, name) !== undefined) api.cluster.delete(SECRETS, name, 'system');
}

export function secret(name: string, type = 'kubernetes.io/tls'): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'system', labels: LABELS }, type };
}
