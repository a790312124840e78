import { propertyAt } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { ACTIVE_PORTS_ANNOTATION } from './pool-endpoints';

/** What is read of a Pod of a pool. The rest of its status changes often and is large. */
export function trimEndpointPod({ apiVersion, kind, metadata, status }: KubernetesObject): KubernetesObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const ports = metadata.annotations?.[ACTIVE_PORTS_ANNOTATION];
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      ...(ports !== undefined && { annotations: { [ACTIVE_PORTS_ANNOTATION]: ports } }),
    },
    status: {
      phase: propertyAt(status, 'phase'),
      podIP: propertyAt(status, 'podIP'),
      conditions: propertyAt(status, 'conditions'),
    },
  };
}
