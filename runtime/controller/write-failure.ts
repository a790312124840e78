import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { SCHEDULER_LABEL } from '../../lib/translate/cluster/names';
import type { Problem } from '../../lib/translate/cluster/types';
import { isApiError } from '../kubernetes/api-error';
import { type Advice, forbidden } from './forbidden';

/** An object that could not be written. */
export interface WriteFailure {
  readonly object: KubernetesObject;
  readonly error: Error;
}

/** Scheduler whose objects wait for it; undefined: all of the gateway's do. */
export function schedulerOf({ metadata }: Pick<KubernetesObject, 'metadata'>): string | undefined {
  return metadata.labels?.[SCHEDULER_LABEL];
}

/** `Kind namespace/name`. */
export function objectName({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

/** What the author or the administrator is told, and what to do. */
export function failureProblem({ object, error }: WriteFailure): Problem {
  const scheduler = schedulerOf(object);
  const { reason, advice } = explain(error, object.kind);
  return {
    condition: 'Ready',
    ...(scheduler !== undefined && { scheduler }),
    reason,
    message: `${objectName(object)}: ${error.message.replace(/[.\s]+$/, '')}; ${advice}`,
    blocks: false,
  };
}

function explain(error: Error, kind: string): Advice {
  if (isApiError(error, 401)) {
    return {
      reason: 'Forbidden',
      advice: 'the API server does not know the controller: renew its token or kubeconfig',
    };
  }
  if (isApiError(error, 403)) return forbidden(error.message, kind);
  if (isApiError(error, 404)) {
    return {
      reason: 'NotServed',
      advice: 'install what serves this kind, or make the namespace; the controller tries again',
    };
  }
  if (isApiError(error, 409)) {
    return { reason: 'Conflict', advice: 'somebody else writes the same object; the controller tries again' };
  }
  if (isApiError(error, 400, 422)) {
    return {
      reason: 'Refused',
      advice: 'the API server or an admission policy does not take it: correct the field that it names, or the policy',
    };
  }
  return { reason: 'WriteFailed', advice: 'the controller tries again' };
}

/** HTTP status; 0 where there was no answer. */
export function codeOf(error: Error): number {
  return isApiError(error) ? error.code : 0;
}
