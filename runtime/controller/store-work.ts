import type { Logger } from 'pino';
import type { Clock } from '../kubernetes/clock';
import { createWorkQueue } from '../kubernetes/work-queue';
import type { Owner } from './owner';

/** Must not reject but where its signal aborts. */
export type StoreJob = (signal: AbortSignal) => Promise<void>;

export interface StoreWorkOptions {
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** Ends it, and what is under way. */
  readonly signal: AbortSignal;
}

/**
 * What the store of certificates is asked, beside the turns of the gateways: an answer may take minutes. One at a time for a
 * gateway.
 */
export interface StoreWork {
  /** False: the gateway's last is not done yet, and this one is not begun. */
  start(owner: Owner, job: StoreJob): boolean;
  isBusy(owner: Owner): boolean;
  /** Nothing is under way any more. */
  readonly done: Promise<void>;
}

/** They wait for the store, and cost nothing else. */
const CONCURRENCY = 16;

export function createStoreWork({ clock, random, log, signal }: StoreWorkOptions): StoreWork {
  const jobs = new Map<Owner, StoreJob>();
  const queue = createWorkQueue({
    clock,
    random,
    signal,
    concurrency: CONCURRENCY,
    async work(owner) {
      try {
        await jobs.get(owner)?.(signal);
      } finally {
        jobs.delete(owner);
      }
    },
    onFault: (owner, error) => log.error({ gateway: owner }, error.message),
  });
  return {
    start(owner, job) {
      if (jobs.has(owner)) return false;
      jobs.set(owner, job);
      queue.add(owner);
      return true;
    },
    isBusy: (owner) => jobs.has(owner),
    done: queue.done,
  };
}
