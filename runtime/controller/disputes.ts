import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { MANAGER } from '../../lib/translate/cluster/names';
import { objectKey } from '../../lib/translate/cluster/object-key';
import type { Problem } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import { isApiError } from '../kubernetes/api-error';
import type { Clock } from '../kubernetes/clock';
import { resourceOf } from '../kubernetes/resources';
import type { AppliedObjects } from './applied-objects';
import { objectName, schedulerOf } from './write-failure';

/** Objects that somebody changes or deletes again whenever they have been put back. */
export interface Disputes {
  /** Before an object is written: whose change it is shows only until then. */
  look(object: KubernetesObject, signal: AbortSignal): Promise<void>;
  /** Those of the objects that are in dispute now, for the author and the administrator. */
  problems(objects: readonly KubernetesObject[]): readonly Problem[];
}

/** Put back so often within a minute. */
const TIMES = 3;

export function createDisputes(
  client: Pick<ApiClient, 'get'>,
  applied: Pick<AppliedObjects, 'putBacks'>,
  clock: Pick<Clock, 'now'>,
): Disputes {
  /** What was found last, by object. */
  const findings = new Map<string, string>();

  return {
    async look(object, signal) {
      const key = objectKey(object);
      findings.delete(key);
      if (applied.putBacks(object, clock.now()) < TIMES - 1) return;
      const { apiVersion, kind, metadata } = object;
      try {
        const now = await client.get(resourceOf(apiVersion, kind), metadata.name, metadata.namespace, signal);
        findings.set(key, findingOf(now));
      } catch (error) {
        // The write that follows meets the same fault, and tells it.
        if (!isApiError(error)) throw error;
      }
    },
    problems: (objects) =>
      objects
        .filter((object) => applied.putBacks(object, clock.now()) >= TIMES)
        .map((object) => disputed(object, findings.get(objectKey(object)))),
  };
}

function findingOf(now: KubernetesObject | undefined): string {
  if (now === undefined) {
    return "is deleted again and again, and made anew each time: find out who deletes it in the API server's audit log, and have them leave it alone";
  }
  return `is changed again and again by ${lastWriter(now)}, and put back each time: have them leave alone what this controller writes`;
}

function disputed(object: KubernetesObject, finding = findingOf(object)): Problem {
  const scheduler = schedulerOf(object);
  return {
    ...(scheduler !== undefined && { scheduler }),
    reason: 'Disputed',
    message: `${objectName(object)} ${finding}`,
    blocks: false,
  };
}

interface ManagedFields {
  readonly manager?: string;
  readonly time?: string;
  readonly subresource?: string;
}

/** Field manager of the newest write that is not ours. */
function lastWriter({ metadata }: KubernetesObject): string {
  const { managedFields = [] } = metadata as { managedFields?: readonly ManagedFields[] };
  const others = managedFields.filter(({ manager, subresource }) => manager !== MANAGER && subresource !== 'status');
  const newest = others.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))[0];
  return newest?.manager === undefined ? 'somebody' : `field manager ${newest.manager}`;
}
