import { isDeepStrictEqual } from 'node:util';
import { items, property, propertyAt, textOf } from '../../../lib/api/validation/loose';
import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import { GROUP, MANAGER } from '../../../lib/translate/cluster/names';
import { GATEWAY_API, isSameReference, nameOf, parentReference } from '../reference';
import type { WantedParent } from './wanted-parents';

/** By which this controller's entries are known. */
export const CONTROLLER_NAME = `${GROUP}/${MANAGER}`;

/** As the definition of the InferencePool says. */
export const MOST_PARENTS = 32;

export interface MergedParents {
  /** The whole list. */
  readonly parents: readonly unknown[];
  readonly changed: boolean;
  /** `namespace/name` of Gateways for which the entries of others leave no room. */
  readonly leftOut: readonly string[];
}

/**
 * The list `status.parents` of `pool` with the wanted entries in the place of ours. Those of others stay as they are and in
 * their order, and are never given up for ours; ours stay where they are, and new ones come last. `generation`: of the pool
 * as it was judged. `now`: of conditions whose status changes, as RFC 3339.
 */
export function mergeParents(
  pool: KubernetesObject,
  wanted: readonly WantedParent[],
  generation: number | undefined,
  now: string,
): MergedParents {
  const present = items(propertyAt(pool.status, 'parents'));
  const missing = new Map(wanted.map((parent) => [nameOf(parent), parent]));
  const kept = present.flatMap((entry) => {
    if (property(entry, 'controllerName') !== CONTROLLER_NAME) return [entry];
    const parent = parentReference(property(entry, 'parentRef'), pool);
    const want = missing.get(nameOf(parent));
    if (want === undefined || !isSameReference(parent, referenceOf(want))) return [];
    missing.delete(nameOf(want));
    const next = entryOf(want, entry, generation, now);
    return [isDeepStrictEqual(entry, next) ? entry : next];
  });
  const added = [...missing.values()].slice(0, Math.max(0, MOST_PARENTS - kept.length));
  const parents = [...kept, ...added.map((want) => entryOf(want, undefined, generation, now))];
  return {
    parents,
    changed: parents.length !== present.length || parents.some((entry, index) => entry !== present[index]),
    leftOut: [...missing.keys()].slice(added.length),
  };
}

function referenceOf({ namespace, name }: WantedParent) {
  return { group: GATEWAY_API, kind: 'Gateway', namespace, name };
}

function entryOf(want: WantedParent, former: unknown, generation: number | undefined, now: string): unknown {
  return {
    parentRef: referenceOf(want),
    controllerName: CONTROLLER_NAME,
    conditions: Object.entries(want.conditions).map(([type, { status, reason, message }]) => {
      const before = items(property(former, 'conditions')).find((one) => property(one, 'type') === type);
      const since = property(before, 'status') === status ? textOf(property(before, 'lastTransitionTime')) : undefined;
      return {
        type,
        status,
        ...(generation !== undefined && { observedGeneration: generation }),
        lastTransitionTime: since ?? now,
        reason,
        message,
      };
    }),
  };
}
