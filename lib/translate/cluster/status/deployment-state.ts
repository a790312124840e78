import { propertyAt } from '../../../api/validation/loose';
import type { KubernetesObject } from '../kubernetes-object';
import { conditionIn, isSeen } from './conditions';

export interface DeploymentState {
  readonly wanted: number;
  readonly available: number;
  /** The pods of the present spec are there and available, and there are no others. */
  readonly isRolledOut: boolean;
  /** Why it gets no further: a sentence of Kubernetes. */
  readonly failure?: string;
}

export function deploymentState(deployment: KubernetesObject): DeploymentState {
  const { spec, status } = deployment;
  const count = (name: string) => Number(propertyAt(status, name) ?? 0);
  const wanted = Number(propertyAt(spec, 'replicas') ?? 1);
  const available = count('availableReplicas');
  const failure = refusalOf(deployment) ?? stallOf(deployment);
  const complete = count('updatedReplicas') === wanted && count('replicas') === wanted && available >= wanted;
  return {
    wanted,
    available,
    isRolledOut: isSeen(deployment) && complete,
    ...(failure !== undefined && { failure }),
  };
}

/** Why the API server takes no pods of it: a quota, a policy, Pod Security. */
export function refusalOf({ metadata, status }: KubernetesObject): string | undefined {
  const condition = conditionIn(propertyAt(status, 'conditions'), 'ReplicaFailure');
  return condition?.status === 'True'
    ? `Deployment ${metadata.name}: ${condition.message ?? condition.reason}`
    : undefined;
}

function stallOf({ metadata, status }: KubernetesObject): string | undefined {
  const condition = conditionIn(propertyAt(status, 'conditions'), 'Progressing');
  return condition?.status === 'False'
    ? `Deployment ${metadata.name}: ${condition.message ?? condition.reason}`
    : undefined;
}
