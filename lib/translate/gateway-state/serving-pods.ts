import type { Pod } from '../../api/pod';
import type { CheckedObject } from '../check-objects';
import { sourceLine } from '../sourced-value';
import { type LabelSelector, selectorTest } from './label-selector';

interface SelectedPods {
  /** Those that have an address which no other has, by name. An address of a pod on its way out and of another is the other's. */
  readonly serving: ReadonlyArray<CheckedObject<Pod>>;
  /** A sentence for each of the others. */
  readonly warnings: readonly string[];
}

/** A pod that has ended keeps its address in its status, while another pod may have it already. */
const ENDED: readonly unknown[] = ['Succeeded', 'Failed'];

/** The pods that a scheduler's selector selects, those that have ended left out. */
export function servingPods(
  scheduler: { readonly name: string; readonly modelSelector: LabelSelector },
  pods: ReadonlyArray<CheckedObject<Pod>>,
): SelectedPods {
  const warnings: string[] = [];
  const isSelected = selectorTest(scheduler.modelSelector);
  const selected = pods
    .filter(({ object }) => isSelected(object.metadata.labels ?? {}))
    .filter(({ object }) => !ENDED.includes(object.status?.phase))
    .sort((a, b) => (a.object.metadata.name < b.object.metadata.name ? -1 : 1));
  const holders = new Map<string, CheckedObject<Pod>>();
  for (const pod of [...selected.filter(isStaying), ...selected]) {
    const ip = pod.object.status?.podIP;
    if (ip !== undefined && !holders.has(ip)) holders.set(ip, pod);
  }
  const serving: CheckedObject<Pod>[] = [];
  for (const pod of selected) {
    const where = `${sourceLine(pod.at)} Pod ${podName(pod.object)}`;
    const ip = pod.object.status?.podIP;
    const holder = ip === undefined ? undefined : holders.get(ip);
    if (holder === undefined) warnings.push(`${where} has no status.podIP yet: it gets no requests`);
    else if (holder === pod) serving.push(pod);
    else warnings.push(`${where} has the address ${ip} of ${podName(holder.object)}: it is left out`);
  }
  if (selected.length === 0) warnings.push(`scheduler ${scheduler.name}: its modelSelector selects no pod`);
  return { serving, warnings };
}

function isStaying({ object }: CheckedObject<Pod>): boolean {
  return object.metadata.deletionTimestamp === undefined;
}

/** `namespace/name`. */
export function podName({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
