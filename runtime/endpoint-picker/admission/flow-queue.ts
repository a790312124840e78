import { BANDS, type Band, type FlowControlState } from '../../../lib/translate/gateway-state';
import { type BandQueue, createBandQueue } from './band-queue';
import { createExpiryHeap } from './expiry-heap';
import type { TenantQueue, Waiter } from './tenant-queue';

/** A request that waits for its turn. */
export interface Waiting {
  readonly band: Band;
  readonly tenant: string;
  /** Of the prompt and of the expected answer; at least 1. */
  readonly tokens: number;
  /** Held in memory for it as long as it waits. */
  readonly bytes: number;
  /** Clock, milliseconds. */
  readonly expiresAt: number;
}

/**
 * The requests of one scheduler that wait, and whose turn it is. Higher bands go first; within a band tenants take turns
 * in tokens (`TenantTurns`), and within a tenant the oldest request goes first.
 *
 * No band is starved for ever. Let h be the tokens of a band's head. From when the band dispatched last, or began to
 * wait, higher bands dispatch less than `STARVATION_RATIO` x h tokens and one request more until that head is next: then
 * nothing else is dispatched before it, but the heads of lower bands that have waited as long themselves. The bound
 * counts what is dispatched from this queue: whoever lets a request pass by it while others wait breaks it.
 */
export interface FlowQueue<T extends Waiting> {
  readonly size: number;
  sizeOf(band: Band): { requests: number; bytes: number };
  /** False: its band or all bands together hold as much as they may; nothing changed. */
  enqueue(item: T): boolean;
  /** True: it was waiting and is not any more. */
  remove(item: T): boolean;
  /** Takes out what has waited too long (`expiresAt` <= now), oldest first. */
  expire(now: number): T[];
  /** When the next one expires; Infinity: none waits. */
  nextExpiry(): number;
  /**
   * Offers heads in order of turn until one is not taken; `take` returns true where it dispatched the request. `owed`: its
   * band's guaranteed share, to be let in by the room that Critical has. A call from within `take` does nothing.
   */
  dispatch(take: (item: T, owed: boolean) => boolean): void;
  /** New limits; what waits stays. */
  update(limits: FlowControlState): void;
  /** Everything, in order of turn, taken out. */
  drain(): T[];
}

/**
 * Tokens of higher bands that pass for one of a band that waits: its share is 5 % of theirs. Enough that a band drains,
 * if slowly, and its clients see answers; two lower bands together take less than a tenth from Critical.
 */
export const STARVATION_RATIO = 20;

/** Who is owed goes before who is owed, from the lowest band up: a higher one's share never delays a lower one's. */
const LOWEST_FIRST: readonly Band[] = BANDS.toReversed();

/**
 * How much of the bytes of all bands may be taken when a request of the band joins: what lower bands hold never shuts
 * Critical out.
 */
const SHARE_OF_BYTES: Readonly<Record<Band, number>> = { critical: 1, standard: 3 / 4, sheddable: 1 / 2 };

/** A larger request counts as this: no engine has the room for it, and the steps of a turn stay bounded. */
const MAX_TOKENS = 2 ** 20;

/**
 * `displaced`: told of a request that gave up its place, out of the queue by then. In a band that is full a request may
 * take the place of the newest ones of the tenant that holds most, so far as that tenant still holds as much as the
 * newcomer's. Without it nothing is displaced, and one tenant can fill a band.
 */
export function createFlowQueue<T extends Waiting>(
  first: FlowControlState,
  displaced?: (item: T) => void,
): FlowQueue<T> {
  let limits = first;
  const bands: Readonly<Record<Band, BandQueue<T>>> = {
    critical: createBandQueue(),
    standard: createBandQueue(),
    sheddable: createBandQueue(),
  };
  const waiters = new Map<T, Waiter<T>>();
  const expiries = createExpiryHeap<Waiter<T>>();
  let bytes = 0;
  /** Tokens that higher bands have dispatched while the band waited, less those that its own requests have used up. */
  const passed: Record<Band, number> = { critical: 0, standard: 0, sheddable: 0 };
  let order = 0;
  let dispatching = false;

  function takeOut(waiter: Waiter<T>): void {
    waiters.delete(waiter.item);
    expiries.delete(waiter);
    const { band } = waiter.item;
    bands[band].delete(waiter);
    if (bands[band].requests === 0) passed[band] = 0;
    bytes -= waiter.bytes;
  }

  /** What has to give up its place for the item; undefined: nothing may, and there is none. */
  function toDisplace(item: T, queue: TenantQueue<T>): Waiter<T>[] | undefined {
    const band = bands[item.band];
    const { maxRequests, maxBytes } = limits.bands[item.band];
    const tooMany = band.requests + 1 - maxRequests;
    const tooLarge = item.bytes + Math.max(band.bytes - maxBytes, bytes - limits.maxBytes * SHARE_OF_BYTES[item.band]);
    if (tooMany <= 0 && tooLarge <= 0) return [];
    if (displaced === undefined) return undefined;
    const longest = band.longest((of) => (tooLarge > 0 ? of.bytes : of.requests));
    if (longest === undefined || longest === queue) return undefined;
    const leaving: Waiter<T>[] = [];
    let freed = 0;
    for (let waiter = longest.newest; leaving.length < tooMany || freed < tooLarge; waiter = waiter.older) {
      if (waiter === undefined) return undefined;
      leaving.push(waiter);
      freed += waiter.bytes;
    }
    const stillHoldsAsMuch =
      tooLarge > 0
        ? longest.bytes - freed >= queue.bytes + item.bytes
        : longest.requests - leaving.length >= queue.requests + 1;
    return stillHoldsAsMuch ? leaving : undefined;
  }

  /** Whose turn it is over all bands, and whether by its share. */
  function next(): { readonly head: Waiter<T>; readonly owed: boolean } | undefined {
    for (const band of LOWEST_FIRST) {
      const head = bands[band].head();
      if (head !== undefined && passed[band] >= head.tokens * STARVATION_RATIO) return { head, owed: true };
    }
    for (const band of BANDS) {
      const head = bands[band].head();
      if (head !== undefined) return { head, owed: false };
    }
    return undefined;
  }

  function settle(head: Waiter<T>): void {
    const { band } = head.item;
    bands[band].charge(head);
    passed[band] = Math.max(0, passed[band] - head.tokens * STARVATION_RATIO);
    takeOut(head);
    for (const lower of BANDS.slice(BANDS.indexOf(band) + 1)) {
      if (bands[lower].requests > 0) passed[lower] += head.tokens;
    }
  }

  return {
    get size() {
      return waiters.size;
    },
    sizeOf: (band) => ({ requests: bands[band].requests, bytes: bands[band].bytes }),
    enqueue(item) {
      const band = bands[item.band];
      const queue = band.queueOf(item.tenant, limits.maxTenants);
      const leaving = toDisplace(item, queue);
      if (leaving === undefined) return false;
      for (const waiter of leaving) takeOut(waiter);
      const waiter: Waiter<T> = {
        item,
        tenant: item.tenant,
        tokens: Math.min(MAX_TOKENS, item.tokens),
        bytes: item.bytes,
        expiresAt: item.expiresAt,
        order: order++,
        heapAt: 0,
        queue,
        older: undefined,
        newer: undefined,
      };
      waiters.set(item, waiter);
      expiries.add(waiter);
      band.add(waiter);
      bytes += item.bytes;
      for (const { item: former } of leaving) displaced?.(former);
      return true;
    },
    remove(item) {
      const waiter = waiters.get(item);
      if (waiter === undefined) return false;
      takeOut(waiter);
      return true;
    },
    expire(now) {
      const expired: T[] = [];
      for (let waiter = expiries.first; waiter !== undefined && waiter.expiresAt <= now; waiter = expiries.first) {
        takeOut(waiter);
        expired.push(waiter.item);
      }
      return expired;
    },
    nextExpiry: () => expiries.first?.expiresAt ?? Number.POSITIVE_INFINITY,
    dispatch(take) {
      if (dispatching) return;
      dispatching = true;
      try {
        for (let turn = next(); turn !== undefined && take(turn.head.item, turn.owed); turn = next()) {
          // What `take` set off may have removed it already.
          if (waiters.get(turn.head.item) === turn.head) settle(turn.head);
        }
      } finally {
        dispatching = false;
      }
    },
    update(changed) {
      limits = changed;
    },
    drain() {
      const drained: T[] = [];
      for (const band of BANDS) {
        for (let head = bands[band].head(); head !== undefined; head = bands[band].head()) {
          bands[band].charge(head);
          takeOut(head);
          drained.push(head.item);
        }
      }
      return drained;
    },
  };
}
