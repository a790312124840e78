import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { GATEWAY_CLASS } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import { isApiError } from '../kubernetes/api-error';
import { resourceOf } from '../kubernetes/resources';
import type { AppliedObjects } from './applied-objects';
import { inTurns } from './in-turns';
import { isApplied, type Owner, ownerByLabels } from './owner';
import type { Watches } from './watches';

export interface ForeignOptions {
  readonly client: ApiClient;
  readonly applied: AppliedObjects;
  readonly watches: Pick<Watches, 'find'>;
  readonly signal: AbortSignal;
}

const CONCURRENCY = 16;

/**
 * Objects that stand under a name which the gateway wants, and are not its own: another gateway's, or somebody's who does
 * not know of it. Applying would take them over. Only objects that the controller has not made yet are asked for.
 */
export async function foreignObjects(
  owner: Owner,
  desired: readonly KubernetesObject[],
  { client, applied, watches, signal }: ForeignOptions,
): Promise<readonly KubernetesObject[]> {
  const foreign: KubernetesObject[] = [];
  await inTurns(desired, CONCURRENCY, async (object) => {
    // All gateways share it, and another's stops the controller as a whole.
    if (object.kind === 'GatewayClass' && object.metadata.name === GATEWAY_CLASS) return;
    const seen = watches.find(object);
    const seenOwner = seen && ownerByLabels(seen);
    if (seenOwner === owner) return;
    if (seen !== undefined && seenOwner !== undefined) {
      foreign.push(seen);
      return;
    }
    // One whose labels do not say whose it is may be ours all the same.
    if (seen === undefined && applied.knows(object)) return;
    const present = await read(object, client, signal);
    if (present !== undefined && !isOwn(present, owner)) foreign.push(present);
  });
  return foreign;
}

/** Also one that somebody has taken the labels off. */
function isOwn(object: KubernetesObject, owner: Owner): boolean {
  return isApplied(object) && (ownerByLabels(object) ?? owner) === owner;
}

async function read(
  { apiVersion, kind, metadata }: KubernetesObject,
  client: ApiClient,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    return await client.get(resourceOf(apiVersion, kind), metadata.name, metadata.namespace, signal);
  } catch (error) {
    // What may not be read is found out when it is written.
    if (isApiError(error, 403, 404)) return undefined;
    throw error;
  }
}
