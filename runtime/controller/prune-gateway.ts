import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { objectKey } from '../../lib/translate/cluster/object-key';
import type { ApiClient } from '../kubernetes/api-client';
import { resourceOf } from '../kubernetes/resources';
import type { AppliedObjects } from './applied-objects';
import { pruneWaves } from './apply-order';
import { inTurns } from './in-turns';
import type { ControllerMetrics } from './metrics';
import { isModelSlice } from './model-slice';
import { isApplied } from './owner';
import { codeOf, schedulerOf, type WriteFailure } from './write-failure';

export interface Unwanted {
  readonly owned: readonly KubernetesObject[];
  readonly desired: readonly KubernetesObject[];
  /** Schedulers that the gateway has. */
  readonly schedulers: ReadonlySet<string>;
  /** Those of them that are translated. */
  readonly accepted: ReadonlySet<string>;
  /** Picker Deployments that serve until the new ones do. */
  readonly serving: ReadonlySet<KubernetesObject>;
}

/**
 * What the gateway has and no longer wants. Of a scheduler that something is wrong with everything stays as it was. Secrets,
 * and the EndpointSlices of a scheduler, are others' business.
 */
export function unwanted({ owned, desired, schedulers, accepted, serving }: Unwanted): readonly KubernetesObject[] {
  const wanted = new Set(desired.map(objectKey));
  return owned.filter((object) => {
    if (wanted.has(objectKey(object)) || serving.has(object) || object.kind === 'Secret') return false;
    if (object.metadata.deletionTimestamp !== undefined) return false;
    const scheduler = schedulerOf(object) ?? '';
    if (schedulers.has(scheduler) && !accepted.has(scheduler)) return false;
    return !isModelSlice(object) || !schedulers.has(scheduler);
  });
}

export interface PruneOptions {
  readonly client: ApiClient;
  readonly applied: Pick<AppliedObjects, 'drop'>;
  readonly metrics: Pick<ControllerMetrics, 'pruned' | 'failed'>;
  /** uids of objects that only look like ours, as found here. */
  readonly strangers: Set<string>;
  readonly signal: AbortSignal;
}

const CONCURRENCY = 8;

/**
 * Deletes the objects, routes first. Each is looked at once more: one that the controller has not itself applied has its
 * labels by copy, and stays.
 */
export async function pruneObjects(
  objects: readonly KubernetesObject[],
  { client, applied, metrics, strangers, signal }: PruneOptions,
): Promise<readonly WriteFailure[]> {
  const failures: WriteFailure[] = [];
  for (const wave of pruneWaves(objects.filter(({ metadata }) => !strangers.has(metadata.uid ?? '')))) {
    await inTurns(wave, CONCURRENCY, async (object) => {
      const { kind, apiVersion, metadata } = object;
      const resource = resourceOf(apiVersion, kind);
      try {
        const now = await client.get(resource, metadata.name, metadata.namespace, signal);
        const uid = now?.metadata.uid;
        if (now === undefined || uid === undefined || uid !== metadata.uid) return;
        if (!isApplied(now)) {
          strangers.add(uid);
          return;
        }
        applied.drop(object);
        await client.delete(resource, metadata.name, metadata.namespace, { uid, signal });
        metrics.pruned(kind);
      } catch (error) {
        signal.throwIfAborted();
        metrics.failed(kind, codeOf(error as Error));
        failures.push({ object, error: error as Error });
      }
    });
  }
  return failures;
}
