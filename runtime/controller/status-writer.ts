import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { GROUP, MANAGER } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import { isApiError } from '../kubernetes/api-error';
import type { Clock } from '../kubernetes/clock';
import { resourceOf } from '../kubernetes/resources';
import { createAppliedObjects } from './applied-objects';
import { isNewer } from './newer-version';
import { type Owner, ownerOfConfig } from './owner';

export interface StatusWriter {
  /** The config with its newest status: an informer may be behind our own write. */
  newest(config: KubernetesObject): KubernetesObject;
  /** Writes it where it differs. Rejects with an ApiError. */
  write(config: KubernetesObject, status: object, signal: AbortSignal): Promise<void>;
  forget(owner: Owner): void;
}

const CONFIGS = resourceOf(`${GROUP}/v1alpha1`, 'InferenceGatewayConfig');

/** By server-side apply of the status subresource, which reaches nothing else of the object. */
export function createStatusWriter(client: ApiClient, clock: Pick<Clock, 'now'>): StatusWriter {
  const applied = createAppliedObjects();
  const written = new Map<Owner, KubernetesObject>();
  return {
    newest(config) {
      const last = written.get(ownerOfConfig(config));
      if (last?.metadata.uid !== config.metadata.uid) return config;
      const isAhead = isNewer(last?.metadata.resourceVersion, config.metadata.resourceVersion);
      return isAhead ? { ...config, status: last?.status } : config;
    },
    async write(config, status, signal) {
      const { apiVersion, kind, metadata } = config;
      const { name, namespace, uid } = metadata;
      const object = { apiVersion, kind, metadata: { name, namespace, uid }, status } as KubernetesObject;
      if (applied.dueIn(object, config, clock.now()) !== 0) return;
      try {
        const options = { fieldManager: MANAGER, force: true, subresource: 'status', signal } as const;
        const answer = await client.apply(CONFIGS, object, options);
        applied.remember(object, answer, clock.now());
        written.set(ownerOfConfig(config), answer);
      } catch (error) {
        // It is gone, or made anew: there is nobody to tell.
        if (!isApiError(error, 404, 409)) throw error;
      }
    },
    forget: (owner) => void written.delete(owner),
  };
}
