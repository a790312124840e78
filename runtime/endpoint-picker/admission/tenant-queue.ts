import type { Expiring } from './expiry-heap';

/** A request in its queue, as a link of it: one in the middle leaves without a scan. */
export interface Waiter<T> extends Expiring {
  readonly item: T;
  readonly tenant: string;
  readonly tokens: number;
  readonly bytes: number;
  readonly queue: TenantQueue<T>;
  older: Waiter<T> | undefined;
  newer: Waiter<T> | undefined;
}

/** What waits of one tenant, or of all that share one queue, in order of arrival. */
export interface TenantQueue<T> {
  readonly shared: boolean;
  requests: number;
  bytes: number;
  oldest: Waiter<T> | undefined;
  newest: Waiter<T> | undefined;
  /** Tokens that it may still dispatch in this turn. */
  deficit: number;
  /** Its neighbours in the round of the band; itself while it is alone. */
  next: TenantQueue<T>;
  previous: TenantQueue<T>;
}

export function createTenantQueue<T>(shared: boolean): TenantQueue<T> {
  const queue = {
    shared,
    requests: 0,
    bytes: 0,
    oldest: undefined,
    newest: undefined,
    deficit: 0,
  } as unknown as TenantQueue<T>;
  queue.next = queue;
  queue.previous = queue;
  return queue;
}

export function append<T>(waiter: Waiter<T>): void {
  const { queue } = waiter;
  waiter.older = queue.newest;
  if (queue.newest === undefined) queue.oldest = waiter;
  else queue.newest.newer = waiter;
  queue.newest = waiter;
  queue.requests += 1;
  queue.bytes += waiter.bytes;
}

/**
 * The newest of a queue that are at least so many and hold at least so many bytes together, the newest first. The queue
 * holds as much.
 */
export function newestOf<T>(queue: TenantQueue<T>, requests: number, bytes: number): Waiter<T>[] {
  const found: Waiter<T>[] = [];
  let held = 0;
  for (let waiter = queue.newest; waiter && (found.length < requests || held < bytes); waiter = waiter.older) {
    found.push(waiter);
    held += waiter.bytes;
  }
  return found;
}

export function unlink<T>(waiter: Waiter<T>): void {
  const { queue, older, newer } = waiter;
  if (older === undefined) queue.oldest = newer;
  else older.newer = newer;
  if (newer === undefined) queue.newest = older;
  else newer.older = older;
  queue.requests -= 1;
  queue.bytes -= waiter.bytes;
}
