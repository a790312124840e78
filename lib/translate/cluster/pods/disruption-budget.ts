import type { Context } from '../context';
import type { KubernetesObject } from '../kubernetes-object';

interface Budget {
  readonly name: string;
  readonly namespace: string;
  readonly scheduler?: string;
}

/** Nodes are drained of one pod after the other; one that is not ready anyway is never waited for. */
export function disruptionBudget(
  { make }: Context,
  place: Budget,
  matchLabels: Readonly<Record<string, string>>,
): KubernetesObject {
  return make('policy/v1', 'PodDisruptionBudget', place, {
    spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: { matchLabels } },
  });
}
