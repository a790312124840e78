import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { GROUP } from '../../lib/translate/cluster/names';
import type { ApiClient } from '../kubernetes/api-client';
import { resourceOf } from '../kubernetes/resources';
import { type Owner, ownerOfConfig } from './owner';

/** A config as known. */
interface Known {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid?: string | undefined;
    readonly generation?: number | undefined;
    readonly deletionTimestamp?: string | undefined;
  };
}

/** What is known of a config, compared with the API server itself: a watch may be a minute behind without a sign of it. */
export interface FreshView {
  /** Whether the config is there, of this uid and generation. */
  isCurrent(config: Known, signal: AbortSignal): Promise<boolean>;
  /**
   * The same, once for a gateway. Before its first write: until then another process has written, by a newer config than
   * this one may know.
   */
  isCurrentAtFirst(config: KubernetesObject, signal: AbortSignal): Promise<boolean>;
  /** Whether there is no config of that owner. Rejects with a 404 where the cluster does not serve the kind. */
  isGone(owner: Owner, signal: AbortSignal): Promise<boolean>;
}

const CONFIGS = resourceOf(`${GROUP}/v1alpha1`, 'InferenceGatewayConfig');

export function createFreshView(client: Pick<ApiClient, 'get' | 'list'>): FreshView {
  /** uids of configs. */
  const seen = new Map<Owner, string | undefined>();

  async function isCurrent({ metadata }: Known, signal: AbortSignal): Promise<boolean> {
    const now = (await client.get(CONFIGS, metadata.name, metadata.namespace, signal))?.metadata;
    const isDeleted = ({ deletionTimestamp }: Known['metadata']) => deletionTimestamp !== undefined;
    return (
      now !== undefined &&
      now.uid === metadata.uid &&
      now.generation === metadata.generation &&
      isDeleted(now) === isDeleted(metadata)
    );
  }

  return {
    isCurrent,
    async isCurrentAtFirst(config, signal) {
      const owner = ownerOfConfig(config);
      const { uid } = config.metadata;
      if (seen.has(owner) && seen.get(owner) === uid) return true;
      if (!(await isCurrent(config, signal))) return false;
      seen.set(owner, uid);
      return true;
    },
    async isGone(owner, signal) {
      seen.delete(owner);
      const namespace = owner.slice(0, owner.indexOf('/'));
      const { items } = await client.list(CONFIGS, { namespace }, signal);
      return !items.some((config) => ownerOfConfig(config) === owner);
    },
  };
}
