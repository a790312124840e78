import { propertyAt, textOf } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/**
 * The pods that can be an endpoint, each once: those with an address that have not ended. An address that a pod on its
 * way out has, and another too, is the other's.
 */
export function usablePods(pods: Iterable<KubernetesObject>): readonly KubernetesObject[] {
  const byName = new Map<string, KubernetesObject>();
  const taken = new Set<string>();
  for (const pod of pods) {
    const ip = addressOf(pod);
    if (ip === undefined || hasEnded(pod)) continue;
    byName.set(pod.metadata.name, pod);
    if (pod.metadata.deletionTimestamp === undefined) taken.add(ip);
  }
  return [...byName.values()].filter(
    (pod) => pod.metadata.deletionTimestamp === undefined || !taken.has(addressOf(pod)!),
  );
}

function addressOf(pod: KubernetesObject): string | undefined {
  return textOf(propertyAt(pod, 'status', 'podIP')) || undefined;
}

function hasEnded(pod: KubernetesObject): boolean {
  const phase = textOf(propertyAt(pod, 'status', 'phase'));
  return phase === 'Succeeded' || phase === 'Failed';
}
