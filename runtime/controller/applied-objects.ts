import { createHash } from 'node:crypto';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { objectKey } from '../../lib/translate/cluster/object-key';
import { isNewer } from './newer-version';
import { ownedFields } from './owned-fields';

/** What this process has applied, so that it writes again only what has changed: on our side or in the cluster. */
export interface AppliedObjects {
  /**
   * Milliseconds until `desired` is to be applied; 0 is now, undefined: it is in the cluster as it should be. `seen`: the
   * object as the informer has it. `now`: milliseconds of a clock that never goes back.
   */
  dueIn(desired: KubernetesObject, seen: KubernetesObject | undefined, now: number): number | undefined;
  /** `answer`: the object as the API server gave it back. */
  remember(desired: KubernetesObject, answer: KubernetesObject, now: number): void;
  /** Whether it was applied, and is not known to be gone. */
  knows(object: KubernetesObject): boolean;
  /** The object is gone from the cluster. */
  forget(gone: KubernetesObject): void;
}

interface Applied {
  readonly desired: string;
  /** Our fields as they were in the answer. */
  readonly fields: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly at: number;
  /** Whether this was not the first time that the same was applied. */
  readonly again: boolean;
}

/**
 * An informer may be behind our own write for a while. After this time its word counts again, also where it has never
 * seen the object: it came and went while the watch was broken. Milliseconds.
 */
const CATCH_UP_MS = 30_000;

/** Somebody who undoes what is put back has it undone no more often than this. Milliseconds. */
const PUT_BACK_MS = 5_000;

export function createAppliedObjects(): AppliedObjects {
  const applied = new Map<string, Applied>();
  return {
    dueIn(desired, seen, now) {
      const last = applied.get(objectKey(desired));
      if (last === undefined || last.desired !== digest(desired)) return 0;
      const isBehind = seen === undefined || isNewer(last.resourceVersion, seen.metadata.resourceVersion);
      if (isBehind) return Math.max(0, last.at + CATCH_UP_MS - now);
      if (last.fields === digest(ownedFields(desired, seen))) return undefined;
      return last.again ? Math.max(0, last.at + PUT_BACK_MS - now) : 0;
    },
    remember(desired, answer, now) {
      const key = objectKey(desired);
      const { uid, resourceVersion } = answer.metadata;
      const next = { desired: digest(desired), fields: digest(ownedFields(desired, answer)), uid, resourceVersion };
      applied.set(key, { ...next, at: now, again: applied.get(key)?.desired === next.desired });
    },
    knows: (object) => applied.has(objectKey(object)),
    forget(gone) {
      const key = objectKey(gone);
      if (applied.get(key)?.uid === gone.metadata.uid) applied.delete(key);
    },
  };
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64');
}
