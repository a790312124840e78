import type { Logger } from 'pino';
import type { Installation } from '../../lib/translate/cluster/types';
import type { ApiClient } from '../kubernetes/api-client';
import type { Clock } from '../kubernetes/clock';
import { type LeaderElection, startLeaderElection } from '../kubernetes/leader-election';
import { isIdle } from './coexistence';
import { fencedClient } from './fenced-client';
import { type ControllerMetrics, createControllerMetrics } from './metrics';
import { startTerm, type Term, type TermOptions } from './term';
import { startWatches, type Watches } from './watches';

export interface ControllerOptions extends Pick<TermOptions, 'certificates' | 'prepare' | 'instance'> {
  readonly client: ApiClient;
  /** For the Lease: one of its own, so that renewals never queue behind other writes. */
  readonly leaseClient: ApiClient;
  readonly installation: Installation;
  /** Unique to the process, not only to the pod. */
  readonly identity: string;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Ends it: what is under way is cut, the lease given back. */
  readonly signal: AbortSignal;
}

export interface Controller {
  /**
   * Every kind that gateways need is served and known, or another controller is there. Once true it stays so: without the
   * API server all goes on as it was.
   */
  isReady(): boolean;
  isLeader(): boolean;
  /** Of its metrics page. */
  readonly registry: ControllerMetrics['registry'];
  metricsPage(): Promise<{ readonly contentType: string; readonly text: string }>;
  /** After everything has ended. Never rejects. */
  readonly done: Promise<void>;
}

/** Name of the Lease, in the system namespace. */
export const LEASE = 'inference-gateway-controller';

/**
 * When a leader is killed another leads after the lease and two waits of a candidate at most: 15 s. When it ends in order,
 * after one wait. Milliseconds.
 */
export const ELECTION = { leaseMs: 9_000, renewMs: 6_000, retryMs: 1_200 };

/** What is still missing is logged so often. Milliseconds. */
const SAY_MS = 10_000;

/**
 * Runs one of the controller's processes: all of them follow the cluster, and know it when they come to lead; one leads, and
 * it alone writes.
 */
export function startController(options: ControllerOptions): Controller {
  const { client, leaseClient, installation, identity, clock, random, log, signal } = options;
  let term: Term | undefined;
  let ready = false;

  const watches: Watches = startWatches({
    ...options,
    listener: {
      gateway: (owner) => term?.listener.gateway(owner),
      status: (config) => term?.listener.status(config),
      pod: (old, now) => term?.listener.pod(old, now),
      slice: (owner, scheduler) => term?.listener.slice(owner, scheduler),
      gone: (object) => term?.listener.gone(object),
      everything: () => term?.listener.everything(),
    },
  });
  const metrics = createControllerMetrics({
    isLeader: () => election.isLeader(),
    queueDepth: () => term?.queueDepth() ?? 0,
    staleness: () => [...watches.staleness()].map(([kind, ms]) => [kind, ms / 1000] as const),
  });
  const election: LeaderElection = startLeaderElection({
    ...ELECTION,
    client: leaseClient,
    clock,
    random,
    log,
    identity,
    namespace: installation.systemNamespace,
    name: LEASE,
    signal,
    onStarted(ends) {
      const fenced = fencedClient(client, () => election.isLeader());
      term = startTerm({ ...options, client: fenced, watches, metrics, signal: ends });
    },
    async onStopped() {
      await term?.done;
      term = undefined;
    },
  });

  function isReady(): boolean {
    ready ||=
      watches.unknown().length === 0 &&
      (watches.missing().length === 0 || isIdle(watches, installation.systemNamespace));
    return ready;
  }

  async function sayWhatIsMissing(): Promise<void> {
    await clock.sleep(SAY_MS, signal);
    while (!signal.aborted && !isReady()) {
      const [unread, absent] = [watches.unknown(), watches.missing()];
      log.info({ unread, absent }, 'not ready: kinds that have not been read yet, or that the cluster does not serve');
      await clock.sleep(SAY_MS, signal);
    }
  }

  return {
    isReady,
    isLeader: () => election.isLeader(),
    registry: metrics.registry,
    metricsPage: () => metrics.page(),
    done: Promise.all([election.done, watches.done, sayWhatIsMissing()]).then(() => {}),
  };
}
