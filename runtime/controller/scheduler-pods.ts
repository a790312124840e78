import type { Pod } from '../../lib/api/pod';
import type { CheckedObject } from '../../lib/translate/check-objects';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { type LabelSelector, selects } from '../../lib/translate/gateway-state/label-selector';

/** The pods that a scheduler selects, kept so that the event of one pod costs no look at the others. */
export interface SchedulerPods {
  /** Whether it concerns the scheduler. */
  change(old: KubernetesObject | undefined, now: KubernetesObject | undefined): boolean;
  list(): ReadonlyArray<CheckedObject<Pod>>;
}

export function createSchedulerPods(selector: LabelSelector, pods: readonly KubernetesObject[]): SchedulerPods {
  const selected = new Map<string, CheckedObject<Pod>>();
  const isSelected = (pod: KubernetesObject) => selects(selector, pod.metadata.labels ?? {});
  for (const pod of pods) if (isSelected(pod)) selected.set(pod.metadata.name, checked(pod));
  return {
    change(old, now) {
      const name = (now ?? old)!.metadata.name;
      const former = selected.get(name);
      if (now !== undefined && isSelected(now)) {
        selected.set(name, checked(now));
        return former === undefined || facts(former.object) !== facts(now);
      }
      selected.delete(name);
      return former !== undefined;
    },
    list: () => [...selected.values()],
  };
}

/** The API server has checked it: an address is one. */
function checked(pod: KubernetesObject): CheckedObject<Pod> {
  return { object: pod as unknown as Pod, at: { source: 'kubernetes', value: pod } };
}

/** What its endpoint follows from: all that is kept of it but the version. */
function facts({ metadata: { uid, labels, deletionTimestamp }, ...rest }: KubernetesObject | Pod): string {
  return JSON.stringify([uid, labels, deletionTimestamp, rest.spec, rest.status]);
}
