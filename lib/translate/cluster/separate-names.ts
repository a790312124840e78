import type { Context } from './context';
import type { KubernetesObject } from './kubernetes-object';
import { objectKey } from './object-key';
import type { Problem } from './types';

/** The objects of one scheduler. */
export interface SchedulerObjects {
  readonly scheduler: string;
  readonly objects: readonly KubernetesObject[];
}

interface SeparatedNames {
  /** Those whose names are their own. */
  readonly schedulers: readonly SchedulerObjects[];
  readonly problems: readonly Problem[];
}

/**
 * Leaves out schedulers of which an object would have a name that is taken: by the gateway itself, by a scheduler
 * before it, or by something that is not the gateway's. The others are not held up. A name of the gateway itself that
 * something else has holds up everything.
 */
export function separateNames(
  { world }: Context,
  own: readonly KubernetesObject[],
  schedulers: readonly SchedulerObjects[],
): SeparatedNames {
  const foreign = new Set((world.foreign ?? []).map(objectKey));
  const takenBy = new Map<string, string>(own.map((object) => [objectKey(object), 'the gateway itself']));
  const problems = own.filter((object) => foreign.has(objectKey(object))).map((object) => gatewayProblem(object));

  const separate = schedulers.filter(({ scheduler, objects }) => {
    const owners = objects.map((object) => {
      const key = objectKey(object);
      return { object, owner: foreign.has(key) ? 'something else' : takenBy.get(key) };
    });
    const clash = owners.find(({ owner }) => owner !== undefined);
    if (clash?.owner !== undefined) {
      problems.push(schedulerProblem(scheduler, clash.object, clash.owner));
      return false;
    }
    for (const object of objects) takenBy.set(objectKey(object), `scheduler ${scheduler}`);
    return true;
  });
  return { schedulers: separate, problems };
}

function gatewayProblem(object: KubernetesObject): Problem {
  return {
    condition: 'Accepted',
    reason: 'NameTaken',
    message: `${place(object)} is there already and is not this gateway's: remove it, or make the gateway under another name`,
    blocks: true,
  };
}

function schedulerProblem(scheduler: string, object: KubernetesObject, owner: string): Problem {
  return {
    condition: 'Accepted',
    scheduler,
    reason: 'NameTaken',
    message: `scheduler ${scheduler} needs ${place(object)}, which ${owner} has already: rename the scheduler${owner === 'something else' ? ', or remove that' : ''}`,
    blocks: false,
  };
}

function place({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
}
