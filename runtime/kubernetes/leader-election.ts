import type { Logger } from 'pino';
import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import { abortScope } from './abort-scope';
import type { ApiClient } from './api-client';
import { isApiError } from './api-error';
import type { Clock } from './clock';
import { heldLease, type LeasePlace, type LeaseSpec, releasedLease, specOf } from './lease';
import { resourceOf } from './resources';

export interface LeaderElectionOptions extends LeasePlace {
  readonly client: ApiClient;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Unique to the process, not only to the pod: a restart must not take its forerunner's term for its own. */
  readonly identity: string;
  /** Others may take over this long after they saw the last renewal. Milliseconds. */
  readonly leaseMs: number;
  /** A leader that cannot renew for this long leads no more: well below `leaseMs`. Milliseconds. */
  readonly renewMs: number;
  /** Between tries of the leader; a candidate waits up to 2.2 times as long. Milliseconds. */
  readonly retryMs: number;
  /** The term has begun; `signal` aborts when it ends. */
  readonly onStarted: (signal: AbortSignal) => void;
  /** The term has ended. The next does not begin, and the lease is not given back, before it resolves. */
  readonly onStopped?: () => void | Promise<void>;
  /** Stands down and gives the lease back, so that another can lead at once. */
  readonly signal: AbortSignal;
}

export interface LeaderElection {
  /** By the clock, too: false in a process that has stood still for too long, even before it knows. Ask before each write. */
  isLeader(): boolean;
  /** Who held the lease when it was last seen; undefined: nobody. */
  holder(): string | undefined;
  /** After the lease has been given back. Never rejects. */
  readonly done: Promise<void>;
}

const LEASES = resourceOf('coordination.k8s.io/v1', 'Lease');

/** What was under way when the term ended may arrive late and come between. */
const RELEASE_TRIES = 3;

/**
 * Leads while it holds a Lease. Clocks of different machines are never compared: a candidate takes over only when it has
 * itself seen the lease unchanged for its whole duration, and a leader counts from before it sent its last renewal. So
 * there is never a second leader as long as clocks run at about the same speed.
 */
export function startLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { client, clock, random, log, identity, namespace, name, signal, onStarted, onStopped } = options;
  const { leaseMs, renewMs, retryMs } = options;
  if (renewMs >= leaseMs) throw new RangeError(`renewMs ${renewMs} must be below leaseMs ${leaseMs}`);
  /** So that a leader whose connection hangs tries another one in time. */
  const tryMs = renewMs / 3;

  let lease: KubernetesObject | undefined;
  let seen = '';
  let seenAt = Number.NEGATIVE_INFINITY;
  /** The lease is ours, as known for sure, until then. */
  let heldUntil = Number.NEGATIVE_INFINITY;
  let leading = false;
  /** Something was sent that may have made it ours. */
  let mayHold = false;
  let toldFault: string | undefined;

  function see(next: KubernetesObject | undefined): void {
    lease = next;
    const spec = JSON.stringify(specOf(next));
    if (spec === seen) return;
    seen = spec;
    seenAt = clock.now();
  }

  function isTaken(): boolean {
    const { holderIdentity, leaseDurationSeconds } = specOf(lease) satisfies LeaseSpec;
    if (!holderIdentity || holderIdentity === identity) return false;
    return clock.now() < seenAt + Math.max(leaseMs, (leaseDurationSeconds ?? 0) * 1000);
  }

  /** Takes or renews the lease as last seen. Rejects with a 409 where another was faster. */
  async function write(within: AbortSignal): Promise<void> {
    mayHold = true;
    const startedAt = clock.now();
    const next = heldLease(lease, { namespace, name }, identity, leaseMs, clock.wall());
    see(await (lease === undefined ? client.create(LEASES, next, within) : client.replace(LEASES, next, within)));
    heldUntil = startedAt + renewMs;
  }

  async function attempt(outer: AbortSignal | undefined, work: (within: AbortSignal) => Promise<void>): Promise<void> {
    const scope = abortScope(outer);
    void clock.sleep(tryMs, scope.signal).then(() => scope.abort(new Error(`no answer within ${tryMs} ms`)));
    try {
      await work(scope.signal);
      toldFault = undefined;
    } catch (error) {
      if (!outer?.aborted && !isApiError(error, 409)) tellFault(error as Error);
    } finally {
      scope.abort();
      scope.release();
    }
  }

  function tellFault({ message }: Error): void {
    if (message !== toldFault) log.warn(`lease ${namespace}/${name}: ${message}`);
    toldFault = message;
  }

  async function stand(): Promise<void> {
    await attempt(signal, async (within) => {
      see(await client.get(LEASES, name, namespace, within));
      if (!isTaken()) await write(within);
    });
  }

  async function renew(): Promise<void> {
    await attempt(signal, async (within) => {
      try {
        await write(within);
      } catch (error) {
        if (!isApiError(error, 404, 409)) throw error;
        // Somebody has touched the lease, which need not be a rival.
        see(await client.get(LEASES, name, namespace, within));
        if (isTaken()) heldUntil = Number.NEGATIVE_INFINITY;
        else await write(within);
      }
    });
  }

  async function lead(): Promise<void> {
    const term = abortScope(undefined);
    leading = true;
    log.info(`lease ${namespace}/${name}: this process leads`);
    onStarted(term.signal);
    while (!signal.aborted && clock.now() < heldUntil) {
      await clock.sleep(Math.min(retryMs, heldUntil - clock.now()), signal);
      if (!signal.aborted && clock.now() < heldUntil) await renew();
    }
    leading = false;
    log.info(`lease ${namespace}/${name}: this process leads no more`);
    term.abort();
    await onStopped?.();
  }

  async function release(): Promise<void> {
    for (let tries = 0; mayHold && tries < RELEASE_TRIES; tries++) {
      await attempt(undefined, async (within) => {
        const now = await client.get(LEASES, name, namespace, within);
        if (now !== undefined && specOf(now).holderIdentity === identity) {
          await client.replace(LEASES, releasedLease(now, clock.wall()), within);
        }
        mayHold = false;
      });
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await stand();
      if (clock.now() < heldUntil && !signal.aborted) await lead();
      else await clock.sleep(retryMs * (1 + 1.2 * random()), signal);
    }
    await release();
  }

  return {
    isLeader: () => leading && clock.now() < heldUntil,
    holder: () => specOf(lease).holderIdentity || undefined,
    done: run().catch((error: Error) => {
      leading = false;
      log.error({ err: error }, `lease ${namespace}/${name}: given up`);
    }),
  };
}
