import type { Logger } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { objectKey } from '../../lib/translate/cluster/object-key';
import type { OwningConfig } from '../../lib/translate/cluster/owned-object';
import { endpointSlices } from '../../lib/translate/cluster/schedulers/endpoint-slices';
import type { ModelPods } from '../../lib/translate/cluster/schedulers/model-service';
import type { Installation } from '../../lib/translate/cluster/types';
import { untilAborted } from '../kubernetes/abort-scope';
import { createWorkQueue, type WorkQueueOptions } from '../kubernetes/work-queue';
import { type ApplyOptions, applyObject } from './apply-gateway';
import { isModelSlice } from './model-slice';
import { isNewer } from './newer-version';
import type { Owner } from './owner';
import { type PruneOptions, pruneObjects } from './prune-gateway';
import { createSchedulerPods, type SchedulerPods } from './scheduler-pods';
import type { Watches } from './watches';
import { schedulerOf } from './write-failure';

export type EndpointSlicesOptions = Omit<ApplyOptions, 'seen' | 'metrics'> &
  Omit<PruneOptions, 'metrics'> &
  Pick<WorkQueueOptions, 'random'> & {
    readonly installation: Pick<Installation, 'ipFamily'>;
    readonly watches: Pick<Watches, 'owned' | 'find' | 'pods'>;
    readonly metrics: ApplyOptions['metrics'] & PruneOptions['metrics'] & SliceMetrics;
    readonly log: Logger;
  };

interface SliceMetrics {
  /** From the event of a pod to the EndpointSlice that follows from it. */
  sliced(seconds: number): void;
}

/** The fast path: from the event of a pod to the EndpointSlice of its scheduler, past all that a gateway is otherwise. */
export interface EndpointSlicesLoop {
  /**
   * From now on the EndpointSlices of these schedulers, and of no others of the gateway, follow their pods. Resolves when
   * they do, with the faults of those that cannot; these are tried again.
   */
  follow(owner: Owner, config: OwningConfig, schedulers: readonly ModelPods[]): Promise<readonly SliceFault[]>;
  follows(owner: Owner): boolean;
  /** By name. */
  followed(owner: Owner): ReadonlyMap<string, ModelPods>;
  /** They stay as they are. */
  forget(owner: Owner): void;
  /** Gives the gateways that it concerns. */
  podChanged(old: KubernetesObject | undefined, now: KubernetesObject | undefined): readonly Owner[];
  sliceChanged(owner: Owner, scheduler: string): void;
  /** Nothing is under way any more. */
  readonly done: Promise<void>;
}

interface SliceFault {
  readonly scheduler: string;
  readonly error: Error;
}

interface Followed {
  readonly config: OwningConfig;
  readonly scheduler: ModelPods;
  readonly pods: SchedulerPods;
  /** As the API server gave them back. */
  readonly written: Map<string, KubernetesObject>;
  /** First event of a pod that the slices do not show yet. */
  changedAt?: number | undefined;
  fault?: Error | undefined;
}

/** Pods come and go in bursts. Milliseconds. */
const COALESCE_MS = 20;
const CONCURRENCY = 8;
/** Pods that are gone get requests until the write succeeds. Milliseconds. */
const MAX_BACKOFF_MS = 5_000;

export function startEndpointSlicesLoop(options: EndpointSlicesOptions): EndpointSlicesLoop {
  const { watches, applied, metrics, clock, random, log, signal } = options;
  const gateways = new Map<Owner, Map<string, Followed>>();
  /** Who waits for the next turn of a key. */
  const waiting = new Map<string, Array<() => void>>();
  const queue = createWorkQueue({
    work,
    clock,
    random,
    signal,
    concurrency: CONCURRENCY,
    maxBackoffMs: MAX_BACKOFF_MS,
    onFault: (key, error, retryMs) => log.warn({ retryMs }, `endpoints of ${key}: ${error.message}`),
  });

  async function work(key: string): Promise<void> {
    const waiters = waiting.get(key) ?? [];
    waiting.delete(key);
    const [owner = '', name = ''] = key.split(' ');
    const followed = gateways.get(owner)?.get(name);
    try {
      if (followed !== undefined) await sync(owner, followed);
    } finally {
      for (const resolve of waiters) resolve();
    }
  }

  async function sync(owner: Owner, followed: Followed): Promise<void> {
    const { changedAt, config, scheduler, pods, written } = followed;
    followed.changedAt = undefined;
    try {
      const existing = slicesOf(owner, followed);
      const desired = endpointSlices(config, scheduler, pods.list(), existing, options.installation.ipFamily);
      let wrote = false;
      for (const slice of desired) {
        const due = applied.dueIn(slice, watches.find(slice), clock.now());
        if (due !== undefined && due > 0) queue.addAfter(keyOf(owner, scheduler.name), due);
        if (due !== 0) continue;
        const answer = await applyObject(slice, options);
        if (answer instanceof Error) throw answer;
        written.set(objectKey(slice), answer);
        wrote = true;
      }
      const names = new Set(desired.map(objectKey));
      const [failure] = await pruneObjects(
        existing.filter((slice) => !names.has(objectKey(slice))),
        options,
      );
      if (failure !== undefined) throw failure.error;
      followed.fault = undefined;
      if (wrote && changedAt !== undefined) metrics.sliced((clock.now() - changedAt) / 1000);
    } catch (error) {
      followed.changedAt ??= changedAt;
      followed.fault = error as Error;
      throw error;
    }
  }

  /** As informers have them, or as they were written since. */
  function slicesOf(owner: Owner, { scheduler, written }: Followed): readonly KubernetesObject[] {
    const slices = new Map(
      watches
        .owned(owner)
        .filter((object) => isModelSlice(object) && schedulerOf(object) === scheduler.name)
        .map((slice) => [objectKey(slice), slice] as const),
    );
    for (const [key, slice] of written) {
      if (!applied.knows(slice)) written.delete(key);
      else if (isNewer(slice.metadata.resourceVersion, slices.get(key)?.metadata.resourceVersion))
        slices.set(key, slice);
    }
    return [...slices.values()];
  }

  function settled(key: string): Promise<void> {
    return new Promise((resolve) => {
      waiting.set(key, [...(waiting.get(key) ?? []), resolve]);
      queue.add(key);
    });
  }

  async function take(owner: Owner, config: OwningConfig, scheduler: ModelPods): Promise<SliceFault[]> {
    const former = gateways.get(owner)?.get(scheduler.name);
    if (former === undefined || !isSameScheduler(former, config, scheduler)) {
      const pods = createSchedulerPods(scheduler.modelSelector, watches.pods(config.metadata.namespace));
      const written = former?.written ?? new Map<string, KubernetesObject>();
      gateways.get(owner)?.set(scheduler.name, { config, scheduler, pods, written, changedAt: former?.changedAt });
      await untilAborted(settled(keyOf(owner, scheduler.name)), signal);
    }
    const error = gateways.get(owner)?.get(scheduler.name)?.fault;
    return error === undefined ? [] : [{ scheduler: scheduler.name, error }];
  }

  return {
    async follow(owner, config, schedulers) {
      signal.throwIfAborted();
      const followed = gateways.get(owner) ?? new Map<string, Followed>();
      gateways.set(owner, followed);
      const names = new Set(schedulers.map(({ name }) => name));
      for (const name of followed.keys()) if (!names.has(name)) followed.delete(name);
      return (await Promise.all(schedulers.map((scheduler) => take(owner, config, scheduler)))).flat();
    },
    follows: (owner) => gateways.has(owner),
    followed: (owner) =>
      new Map([...(gateways.get(owner) ?? [])].map(([name, { scheduler }]) => [name, scheduler] as const)),
    forget: (owner) => void gateways.delete(owner),
    podChanged(old, now) {
      const { namespace } = (now ?? old)!.metadata;
      const concerned = new Set<Owner>();
      for (const [owner, schedulers] of gateways) {
        for (const [name, followed] of schedulers) {
          if (followed.config.metadata.namespace !== namespace || !followed.pods.change(old, now)) continue;
          followed.changedAt ??= clock.now();
          queue.addAfter(keyOf(owner, name), COALESCE_MS);
          concerned.add(owner);
        }
      }
      return [...concerned];
    },
    sliceChanged(owner, scheduler) {
      if (gateways.get(owner)?.has(scheduler)) queue.addAfter(keyOf(owner, scheduler), COALESCE_MS);
    },
    done: queue.done,
  };
}

function keyOf(owner: Owner, scheduler: string): string {
  return `${owner} ${scheduler}`;
}

/** In what its EndpointSlices follow from. */
function isSameScheduler(former: Followed, config: OwningConfig, scheduler: ModelPods): boolean {
  const facts = ({ metadata }: OwningConfig, { modelSelector, targetPort, appProtocol }: ModelPods) =>
    JSON.stringify([metadata.uid, modelSelector, targetPort, appProtocol]);
  return facts(former.config, former.scheduler) === facts(config, scheduler);
}
