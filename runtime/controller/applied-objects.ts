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
  /** How often it was put back as it should be within the last minute. */
  putBacks(object: KubernetesObject, now: number): number;
  /** The object as seen, of the generation that it had when it was applied last: an informer may be behind. */
  withGeneration(seen: KubernetesObject): KubernetesObject;
  /** Whether it was applied, and is not known to be gone. */
  knows(object: KubernetesObject): boolean;
  /** The object is gone from the cluster, by somebody's doing. */
  forget(gone: KubernetesObject): void;
  /** It is wanted no more. */
  drop(object: KubernetesObject): void;
}

interface Applied {
  readonly desired: string;
  /** Our fields as they were in the answer. */
  readonly fields: string;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly generation: number | undefined;
  readonly at: number;
  /** When the same was applied once more, within a minute of the last time. */
  readonly putBacks: readonly number[];
}

/**
 * An informer may be behind our own write for a while. After this time its word counts again, also where it has never
 * seen the object: it came and went while the watch was broken. Milliseconds.
 */
const CATCH_UP_MS = 30_000;

/** Somebody who undoes what is put back has it undone no more often than this. Milliseconds. */
const PUT_BACK_MS = 5_000;

/** Milliseconds. */
const MINUTE_MS = 60_000;

export function createAppliedObjects(): AppliedObjects {
  const applied = new Map<string, Applied>();
  /** Those that somebody has deleted, for a minute. */
  const deleted = new Map<string, Applied>();

  const putBackIn = ({ putBacks, at }: Applied, now: number) =>
    putBacks.length === 0 ? 0 : Math.max(0, at + PUT_BACK_MS - now);

  function sweep(now: number): void {
    for (const [key, { at }] of deleted) {
      if (now - at < MINUTE_MS) return;
      deleted.delete(key);
    }
  }

  return {
    dueIn(desired, seen, now) {
      const key = objectKey(desired);
      const last = applied.get(key) ?? deleted.get(key);
      if (last === undefined || last.desired !== digest(desired)) return 0;
      if (deleted.has(key)) return putBackIn(last, now);
      const isBehind = seen === undefined || isNewer(last.resourceVersion, seen.metadata.resourceVersion);
      if (isBehind) return Math.max(0, last.at + CATCH_UP_MS - now);
      if (last.fields === digest(ownedFields(desired, seen))) return undefined;
      return putBackIn(last, now);
    },
    remember(desired, answer, now) {
      const key = objectKey(desired);
      const { uid, resourceVersion, generation } = answer.metadata;
      const versions = { uid, resourceVersion, generation };
      const next = { desired: digest(desired), fields: digest(ownedFields(desired, answer)), ...versions };
      const former = applied.get(key) ?? deleted.get(key);
      const isSame = former?.desired === next.desired;
      const putBacks = isSame ? [...former.putBacks.filter((at) => at > now - MINUTE_MS), now] : [];
      deleted.delete(key);
      applied.set(key, { ...next, at: now, putBacks });
      sweep(now);
    },
    putBacks(object, now) {
      const key = objectKey(object);
      const { putBacks = [] } = applied.get(key) ?? deleted.get(key) ?? {};
      return putBacks.filter((at) => at > now - MINUTE_MS).length;
    },
    withGeneration(seen) {
      const last = applied.get(objectKey(seen));
      const { uid, generation = 0 } = seen.metadata;
      if (last?.generation === undefined || last.uid !== uid || last.generation <= generation) return seen;
      return { ...seen, metadata: { ...seen.metadata, generation: last.generation } };
    },
    knows: (object) => applied.has(objectKey(object)),
    forget(gone) {
      const key = objectKey(gone);
      const last = applied.get(key);
      if (last === undefined || last.uid !== gone.metadata.uid) return;
      applied.delete(key);
      deleted.set(key, last);
    },
    drop(object) {
      applied.delete(objectKey(object));
      deleted.delete(objectKey(object));
    },
  };
}

function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64');
}
