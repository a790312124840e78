import { append, createTenantQueue, type TenantQueue, unlink, type Waiter } from './tenant-queue';
import { createTenantTurns } from './tenant-turns';

/** What waits in one band, by tenant. */
export interface BandQueue<T> {
  readonly requests: number;
  readonly bytes: number;
  /** Where a tenant's next request would wait. */
  queueOf(tenant: string, maxTenants: number): TenantQueue<T>;
  add(waiter: Waiter<T>): void;
  delete(waiter: Waiter<T>): void;
  head(): Waiter<T> | undefined;
  charge(waiter: Waiter<T>): void;
  /** Those who may pass a head that waits for room of its own: the next ones of each tenant, of who has had least first. */
  behindHead(): Iterable<Waiter<T>>;
  longest(size: (queue: TenantQueue<T>) => number): TenantQueue<T> | undefined;
}

/** Requests of a tenant that wait, and where. */
interface Tenant<T> {
  readonly queue: TenantQueue<T>;
  requests: number;
}

/** Requests that are looked at behind one that waits for room of its own, the same number of each tenant. */
const LOOK_BEHIND = 256;

export function createBandQueue<T>(): BandQueue<T> {
  const turns = createTenantTurns<T>();
  const shared = createTenantQueue<T>(true);
  /** Those with a request waiting. Who began in the shared queue stays there until nothing of it waits: in order. */
  const tenants = new Map<string, Tenant<T>>();
  let named = 0;
  let requests = 0;
  let bytes = 0;

  return {
    get requests() {
      return requests;
    },
    get bytes() {
      return bytes;
    },
    queueOf(tenant, maxTenants) {
      const known = tenants.get(tenant);
      if (known !== undefined) return known.queue;
      return named < maxTenants ? createTenantQueue(false) : shared;
    },
    add(waiter) {
      const { queue } = waiter;
      const tenant = tenants.get(waiter.tenant);
      if (tenant === undefined) tenants.set(waiter.tenant, { queue, requests: 1 });
      else tenant.requests += 1;
      requests += 1;
      bytes += waiter.bytes;
      append(waiter);
      if (queue.requests > 1) return;
      if (!queue.shared) named += 1;
      turns.add(queue);
    },
    delete(waiter) {
      const { queue } = waiter;
      const tenant = tenants.get(waiter.tenant)!;
      tenant.requests -= 1;
      if (tenant.requests === 0) tenants.delete(waiter.tenant);
      requests -= 1;
      bytes -= waiter.bytes;
      unlink(waiter);
      if (queue.requests > 0) return;
      if (!queue.shared) named -= 1;
      turns.delete(queue);
    },
    head: turns.head,
    charge: turns.charge,
    *behindHead() {
      const head = turns.head();
      const queues = turns.byNeed();
      const each = Math.ceil(LOOK_BEHIND / queues.length);
      for (const queue of queues) {
        let waiter = queue.oldest;
        for (let seen = 0; seen < each && waiter !== undefined; seen++, waiter = waiter.newer)
          if (waiter !== head) yield waiter;
      }
    },
    longest: turns.longest,
  };
}
