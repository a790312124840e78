import { items, propertyAt } from '../../lib/api/validation/loose';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';

/**
 * Envoys hear of a pod through the controller and Envoy Gateway, a moment after a picker does. One that does not know the
 * pod picked takes another; where there is no other it would refuse the request, so that the first pod waits. Milliseconds.
 */
const HEARD_MS = 2_000;

interface Admitted {
  readonly pods: readonly KubernetesObject[];
  /** When those that are held back may be admitted. Milliseconds from now. */
  readonly dueIn?: number;
}

/** Pods that become ready while no other is are held back until Envoys know them. */
export class FirstPods {
  private readonly admitted = new Set<string>();
  /** Since when those that are held back are ready. */
  private readonly readySince = new Map<string, number>();
  private isFirst = true;

  /** `now`: milliseconds of a clock that never goes back. What is ready at first has been so before. */
  admit(pods: readonly KubernetesObject[], now: number): Admitted {
    const ready = new Set(pods.filter(isReady).map(idOf));
    for (const id of this.admitted) if (!ready.has(id)) this.admitted.delete(id);
    for (const id of this.readySince.keys()) if (!ready.has(id)) this.readySince.delete(id);
    for (const id of ready) this.readySince.set(id, this.readySince.get(id) ?? now);
    const hasHeard = [...this.readySince.values()].some((since) => now - since >= HEARD_MS);
    if (this.isFirst || this.admitted.size > 0 || hasHeard) for (const id of ready) this.admitted.add(id);
    this.isFirst = false;

    const held = [...ready].filter((id) => !this.admitted.has(id));
    if (held.length === 0) return { pods };
    const first = Math.min(...held.map((id) => this.readySince.get(id) ?? now));
    return { pods: pods.filter((pod) => !held.includes(idOf(pod))), dueIn: first + HEARD_MS - now };
  }
}

function isReady({ metadata, status }: KubernetesObject): boolean {
  const conditions = items(propertyAt(status, 'conditions'));
  const holds = conditions.some((one) => propertyAt(one, 'type') === 'Ready' && propertyAt(one, 'status') === 'True');
  return holds && metadata.deletionTimestamp === undefined;
}

function idOf({ metadata }: KubernetesObject): string {
  return metadata.uid ?? metadata.name;
}
