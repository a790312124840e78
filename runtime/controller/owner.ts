import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import {
  GATEWAY_LABEL,
  GATEWAY_NAMESPACE_LABEL,
  gatewayLabels,
  MANAGED_BY_LABEL,
  MANAGER,
} from '../../lib/translate/cluster/names';
import { shortName } from '../../lib/translate/cluster/short-name';
import type { Installation } from '../../lib/translate/cluster/types';

/**
 * The InferenceGatewayConfig that an object belongs to, as labels can say it: `namespace/name`, the name shortened where
 * it is no label.
 */
export type Owner = string;

export function ownerOfConfig({ metadata }: Pick<KubernetesObject, 'metadata'>): Owner {
  return `${metadata.namespace ?? 'default'}/${shortName(metadata.name)}`;
}

/** Where an installation makes what a gateway needs. */
export function namespacesOf(
  owner: Owner,
  { systemNamespace, envoyNamespace }: Pick<Installation, 'systemNamespace' | 'envoyNamespace'>,
): ReadonlySet<string> {
  return new Set([systemNamespace, envoyNamespace, owner.slice(0, owner.indexOf('/'))]);
}

/** Undefined for an object that is no gateway's. */
export function ownerByLabels({ metadata: { labels = {} } }: KubernetesObject): Owner | undefined {
  const name = labels[GATEWAY_LABEL];
  const namespace = labels[GATEWAY_NAMESPACE_LABEL];
  if (labels[MANAGED_BY_LABEL] !== MANAGER || name === undefined || namespace === undefined) return undefined;
  return `${namespace}/${name}`;
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
}

/** Of everything that the controller has made. */
export const OWNED_SELECTOR = `${MANAGED_BY_LABEL}=${MANAGER}`;

/** Of everything that it has made for one gateway. */
export function ownedSelector({ metadata }: Pick<KubernetesObject, 'metadata'>): string {
  const labels = gatewayLabels({ metadata: { name: metadata.name, namespace: metadata.namespace ?? 'default' } });
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/**
 * Whether the controller has applied the object itself. Labels alone do not show it: Kubernetes copies those of a Service
 * to its EndpointSlices, and people copy objects. Nor does the manager: who does not apply has the name of its program, and
 * AWS's controller has ours. Needs `managedFields`, so an object fresh from the API server.
 */
export function isApplied({ metadata }: KubernetesObject): boolean {
  const { managedFields = [] } = metadata as { managedFields?: ReadonlyArray<ManagedFields> };
  return managedFields.some(({ manager, operation }) => manager === MANAGER && operation === 'Apply');
}
