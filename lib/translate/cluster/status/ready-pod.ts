import { propertyAt } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import { conditionIn } from './conditions';

/** Whether it takes requests, and is not on its way out. */
export function isReadyPod({ metadata, status }: KubernetesObject): boolean {
  const ready = conditionIn(propertyAt(status, 'conditions'), 'Ready')?.status === 'True';
  return ready && metadata.deletionTimestamp === undefined;
}
