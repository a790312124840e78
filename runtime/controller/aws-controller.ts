import { propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/** Where AWS's own controller runs. */
export const AWS_CONTROLLER = {
  namespace: 'hyperpod-inference-system',
  name: 'inference-gateway-controller',
} as const;

/** On our own controller's Deployment, which may have the same place and name. */
const PART_OF_LABEL = 'app.kubernetes.io/part-of';
const OUR_PART_OF = 'hyperpod-inference-gateway';

/** Whether the Deployment of that place is AWS's, and has pods or is to have some. */
export function runsOf(deployment: KubernetesObject | undefined): boolean {
  if (deployment === undefined || deployment.metadata.labels?.[PART_OF_LABEL] === OUR_PART_OF) return false;
  const wanted = propertyAt(deployment.spec, 'replicas') ?? 1;
  return wanted !== 0 || (propertyAt(deployment.status, 'replicas') ?? 0) !== 0;
}
