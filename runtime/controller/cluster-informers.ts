import type { Resource, Selection } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { type Informer, type InformerOptions, startInformer } from '../kubernetes/informer';
import type { OnChange } from '../kubernetes/object-store';
import { resourceName } from '../kubernetes/resource-path';
import { isOptional } from './owned-kinds';

type Trim = NonNullable<InformerOptions['trim']>;

/** Informers of the whole cluster, and what is known by them. */
export interface ClusterInformers {
  start(resource: Resource, selection: Selection, onChange: OnChange, trim?: Trim): Informer;
  /** False where the cluster does not serve the kind, or does not let it be read. */
  isServed(resource: Resource): boolean;
  /** Kinds that nothing is known of yet, and that are waited for. */
  unknown(): readonly string[];
  /** Kinds that gateways need and the cluster does not serve. */
  missing(): readonly string[];
  /** Kinds that gateways can do without, are served, and could not be read for too long; each with the reason. */
  unreadable(): ReadonlyMap<string, string>;
  all(): readonly Informer[];
}

export type ClusterInformersOptions = Pick<InformerOptions, 'client' | 'random' | 'log' | 'signal' | 'maxBackoffMs'> & {
  readonly clock: Clock;
  /** A kind is known, or is served, or is served no more. */
  readonly onSync: () => void;
};

/**
 * What others serve is waited for so long, once all the rest is known: a role that lacks the right to list one of their
 * kinds, or a webhook of theirs that fails, must not hold up every gateway. Milliseconds.
 */
const OPTIONAL_MS = 30_000;

export function createClusterInformers(options: ClusterInformersOptions): ClusterInformers {
  const { clock, onSync, ...base } = options;
  const informers: Informer[] = [];
  const faults = new Map<Resource, string>();
  /** Since when all that gateways need is known. */
  let knownAt: number | undefined;

  const isStarting = (informer: Informer) => informer.state() === 'starting';

  function synced(): void {
    if (!informers.some((one) => isStarting(one) && !isOptional(one.resource))) knownAt ??= clock.now();
    onSync();
  }

  function isGivenUp(informer: Informer): boolean {
    if (!isStarting(informer) || !isOptional(informer.resource)) return false;
    return knownAt !== undefined && clock.now() - knownAt >= OPTIONAL_MS;
  }

  return {
    start(resource, selection, onChange, trim) {
      const informer = startInformer({
        ...base,
        clock,
        resource,
        selection,
        onChange,
        onSync: synced,
        onFault: (error) => faults.set(resource, error.message),
        ...(trim && { trim }),
      });
      informers.push(informer);
      return informer;
    },
    isServed: (resource) => informers.some((one) => one.resource === resource && one.state() === 'synced'),
    unknown: () =>
      informers.filter((one) => isStarting(one) && !isGivenUp(one)).map(({ resource }) => resourceName(resource)),
    missing: () =>
      informers
        .filter((one) => one.state() === 'absent' && !isOptional(one.resource))
        .map(({ resource }) => resourceName(resource)),
    unreadable: () =>
      new Map(
        informers
          .filter(isGivenUp)
          .map(({ resource }) => [resourceName(resource), faults.get(resource) ?? 'no answer'] as const),
      ),
    all: () => informers,
  };
}
