import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { GROUP, MANAGER } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import { isApiError } from '../kubernetes/api-error';
import type { Clock } from '../kubernetes/clock';
import { resourceOf } from '../kubernetes/resources';
import { createAppliedObjects } from './applied-objects';
import { ownedFields } from './owned-fields';
import { type Owner, ownerOfConfig } from './owner';

export interface StatusWriter {
  /** The config with the status that was last sent, which an informer may not have yet and others may have changed. */
  former(config: KubernetesObject): KubernetesObject;
  /**
   * Writes it where it differs. Resolves with the milliseconds after which it is to be written, where that is not now: somebody
   * undoes it again and again. Rejects with an ApiError.
   */
  write(config: KubernetesObject, status: object, signal: AbortSignal): Promise<number | undefined>;
  /** Whether the config has the status that was last sent, so that an event of it is no news. */
  isWritten(config: KubernetesObject): boolean;
  forget(owner: Owner): void;
}

const CONFIGS = resourceOf(`${GROUP}/v1alpha1`, 'InferenceGatewayConfig');

/** By server-side apply of the status subresource, which reaches nothing else of the object. */
export function createStatusWriter(client: ApiClient, clock: Pick<Clock, 'now'>): StatusWriter {
  const applied = createAppliedObjects();
  /** Whether it arrived or not. */
  const sent = new Map<Owner, KubernetesObject>();

  function lastSent(config: KubernetesObject): unknown {
    const last = sent.get(ownerOfConfig(config));
    return last?.metadata.uid === config.metadata.uid ? last?.status : undefined;
  }

  return {
    former(config) {
      const status = lastSent(config);
      return status === undefined ? config : { ...config, status };
    },
    async write(config, status, signal) {
      const { apiVersion, kind, metadata } = config;
      const { name, namespace, uid } = metadata;
      const object = { apiVersion, kind, metadata: { name, namespace, uid }, status } as KubernetesObject;
      const due = applied.dueIn(object, config, clock.now());
      if (due !== 0) return due;
      sent.set(ownerOfConfig(config), JSON.parse(JSON.stringify(object)) as KubernetesObject);
      try {
        const options = { fieldManager: MANAGER, force: true, subresource: 'status', signal } as const;
        applied.remember(object, await client.apply(CONFIGS, object, options), clock.now());
      } catch (error) {
        // It is gone, or made anew: there is nobody to tell.
        if (!isApiError(error, 404, 409) && !isTerminating(error)) throw error;
      }
      return undefined;
    },
    isWritten(config) {
      const status = lastSent(config);
      if (status === undefined) return false;
      return JSON.stringify(ownedFields(status, config.status)) === JSON.stringify(ownedFields(status, status));
    },
    forget(owner) {
      const last = sent.get(owner);
      if (last !== undefined) applied.drop(last);
      sent.delete(owner);
    },
  };
}

/** In a namespace that is being deleted nothing new can be written. */
function isTerminating(error: unknown): boolean {
  return isApiError(error, 403) && error.causes.some(({ reason }) => reason === 'NamespaceTerminating');
}
