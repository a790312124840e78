import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { MANAGER } from '../../lib/translate/cluster/names';

/**
 * Whether it is an EndpointSlice that the controller writes, for the pods of a model. Those of the pickers' Services carry
 * the same labels but one, for Kubernetes copies them.
 */
export function isModelSlice({ kind, metadata }: KubernetesObject): boolean {
  return kind === 'EndpointSlice' && metadata.labels?.['endpointslice.kubernetes.io/managed-by'] === MANAGER;
}
