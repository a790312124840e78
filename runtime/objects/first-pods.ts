import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { isReadyPod } from '../../lib/translate/cluster/status/ready-pod';

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

/** Pods that become ready while no other is are held back, all of them, until Envoys know one. */
export class FirstPods {
  private admitted: ReadonlySet<string> = new Set();
  /** Since when those that are held back are ready. */
  private held = new Map<string, number>();
  private isFirst = true;

  /** `now`: milliseconds of a clock that never goes back. What is ready at first has been so before. */
  admit(pods: readonly KubernetesObject[], now: number): Admitted {
    const ready = pods.filter(isReadyPod).map(idOf);
    const isBesideOthers = ready.some((id) => this.admitted.has(id));
    const since = new Map(ready.map((id) => [id, this.held.get(id) ?? now]));
    const dueIn = Math.min(...since.values()) + HEARD_MS - now;
    const holdsBack = !this.isFirst && !isBesideOthers && ready.length > 0 && dueIn > 0;
    this.isFirst = false;
    this.held = holdsBack ? since : new Map();
    this.admitted = new Set(holdsBack ? [] : ready);
    return holdsBack ? { pods: pods.filter((pod) => !since.has(idOf(pod))), dueIn } : { pods };
  }
}

function idOf({ metadata }: KubernetesObject): string {
  return metadata.uid ?? metadata.name;
}
