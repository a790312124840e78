import type { KubernetesObject } from '../../../lib/translate/cluster/kubernetes-object';
import type { ApiClient } from '../../kubernetes/api-client';
import { isApiError } from '../../kubernetes/api-error';
import { mergeParents } from './merge-parents';
import { POOLS } from './pool-informers';
import type { JudgedPool } from './wanted-parents';

/**
 * Not the one that marks what the controller has made: a pool is not its own because its status is written. The list of
 * parents is written whole.
 */
export const FIELD_MANAGER = 'inference-gateway-pool-status';

/** Others write the same list, each an entry of theirs. */
const TRIES = 5;

/**
 * Brings our entries in `status.parents` up to date, in the list as the API server has it now. Each write is of one version
 * of the pool: where somebody else was first it is refused, so that no entry of theirs is lost, and tried again with theirs.
 * `now`: RFC 3339. Resolves with whether something was written; rejects with an ApiError.
 */
export async function writeParents(
  client: Pick<ApiClient, 'get' | 'apply'>,
  { pool, parents }: JudgedPool,
  now: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, namespace, uid, generation } = pool.metadata;
  for (let left = TRIES - 1; ; left -= 1) {
    const present = await client.get(POOLS, name, namespace, signal);
    // Gone, or made anew: what was judged is not this one.
    if (present === undefined || present.metadata.uid !== uid) return false;
    const merged = mergeParents(present, parents, generation, now);
    if (!merged.changed) return false;
    const status = { parents: merged.parents };
    try {
      await client.apply(POOLS, statusOf(present, status), {
        ...{ fieldManager: FIELD_MANAGER, force: true, subresource: 'status', signal },
      });
      return true;
    } catch (error) {
      if (isApiError(error, 404)) return false;
      if (!isApiError(error, 409) || left === 0) throw error;
    }
  }
}

/** With the version that it was read at. */
function statusOf({ apiVersion, kind, metadata }: KubernetesObject, status: object): KubernetesObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion }, status } as KubernetesObject;
}
