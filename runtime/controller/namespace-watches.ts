import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { type AbortScope, abortScope } from '../kubernetes/abort-scope';
import { type Informer, type InformerOptions, startInformer } from '../kubernetes/informer';
import type { OnChange } from '../kubernetes/object-store';
import { resourceOf } from '../kubernetes/resources';
import { trimConfigMap, trimPod } from './trim';

export type NamespaceWatchOptions = Pick<
  InformerOptions,
  'client' | 'clock' | 'random' | 'log' | 'maxBackoffMs' | 'signal'
> & {
  readonly onPod: OnChange;
  readonly onConfigMap: OnChange;
  /** Everything of one kind is known. */
  readonly onSync: (namespace: string) => void;
};

/** Pods and ConfigMaps of those namespaces that have a gateway: a cluster may have many times as many in others. */
export interface NamespaceWatches {
  /** Of these namespaces and no others. */
  follow(namespaces: ReadonlySet<string>): void;
  pods(namespace: string): readonly KubernetesObject[];
  configMaps(namespace: string): readonly KubernetesObject[];
  /** Of one namespace; default: of all. */
  informers(namespace?: string): readonly Informer[];
  /** Every watch has ended, which is after `signal`. */
  readonly done: Promise<void>;
}

interface Followed {
  readonly scope: AbortScope;
  readonly pods: Informer;
  readonly configMaps: Informer;
}

export function createNamespaceWatches(options: NamespaceWatchOptions): NamespaceWatches {
  const { client, clock, random, log, maxBackoffMs, signal, onPod, onConfigMap, onSync } = options;
  const followed = new Map<string, Followed>();

  function start(namespace: string): Followed {
    const scope = abortScope(signal);
    const selection = { namespace };
    const backoff = maxBackoffMs !== undefined && { maxBackoffMs };
    const given = { client, clock, random, log, ...backoff };
    const base = { ...given, selection, signal: scope.signal, onSync: () => onSync(namespace) };
    return {
      scope,
      pods: startInformer({ ...base, resource: resourceOf('v1', 'Pod'), trim: trimPod, onChange: onPod }),
      configMaps: startInformer({
        ...base,
        resource: resourceOf('v1', 'ConfigMap'),
        trim: trimConfigMap,
        onChange: onConfigMap,
      }),
    };
  }

  async function ended(): Promise<void> {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await Promise.all([...followed.values()].flatMap(({ pods, configMaps }) => [pods.done, configMaps.done]));
  }

  return {
    follow(namespaces) {
      for (const [namespace, { scope }] of followed) {
        if (namespaces.has(namespace)) continue;
        scope.abort();
        scope.release();
        followed.delete(namespace);
      }
      for (const namespace of namespaces) {
        if (!followed.has(namespace)) followed.set(namespace, start(namespace));
      }
    },
    pods: (namespace) => followed.get(namespace)?.pods.list() ?? [],
    configMaps: (namespace) => followed.get(namespace)?.configMaps.list() ?? [],
    informers(namespace) {
      const chosen = namespace === undefined ? [...followed.values()] : [followed.get(namespace)];
      return chosen.flatMap((one) => (one === undefined ? [] : [one.pods, one.configMaps]));
    },
    done: ended(),
  };
}
