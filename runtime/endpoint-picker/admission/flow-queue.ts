import { BANDS, type Band, type FlowControlState } from '../../../lib/translate/gateway-state';
import { type BandQueue, createBandQueue } from './band-queue';
import { createExpiryHeap } from './expiry-heap';
import { newestOf, type TenantQueue, type Waiter } from './tenant-queue';

/** A request that waits for its turn. */
export interface Waiting {
  readonly band: Band;
  readonly tenant: string;
  /** Of the prompt and of the expected answer; at least 1. More than `MAX_TOKENS` count as that many. */
  readonly tokens: number;
  /** Held in memory for it as long as it waits. */
  readonly bytes: number;
  /** Clock, milliseconds. */
  readonly expiresAt: number;
}

/**
 * What came of an offer. `taken`: dispatched, or removed. `no-room`: nobody behind it may go first. `aside`: it waits for room
 * that others do not need, as where its adapter is; those behind it may go.
 */
export type Offer = 'taken' | 'no-room' | 'aside';

/**
 * The requests of one scheduler that wait, and whose turn it is. Higher bands go first; within a band tenants take turns
 * in tokens (`TenantTurns`), and within a tenant the oldest request goes first.
 *
 * No band is starved for ever. Let h be the tokens of a band's head. From when the band dispatched last, began to wait or
 * had a head that gave up, higher bands dispatch less than `STARVATION_RATIO` x h tokens and one request more until
 * that head is owed: then it is offered before anything else each time, but for the heads of lower bands that are owed
 * themselves. While it finds no room nothing else is dispatched for `HOLD_MS`, so that what becomes free adds up to what
 * it needs; then higher bands go on behind its back, and after each further `STARVATION_RATIO` x h tokens of theirs it
 * holds them once more; one that steps aside holds nobody. The bound counts what is dispatched from this queue and what
 * `passBy` lets through.
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
   * Offers heads in order of turn until nothing may go before one that finds no room. `owed`: its band's guaranteed share,
   * to be let in by the room that Critical has. `now`: clock, milliseconds. A call from within `take` does nothing.
   */
  dispatch(now: number, take: (item: T, owed: boolean) => Offer): void;
  /**
   * For a request that found no place in the queue: `take` is asked if, had it one, it would be the next to be offered.
   * Returns whether it was taken; it then counts as dispatched from here.
   */
  passBy(item: Waiting, now: number, take: () => boolean): boolean;
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

/**
 * An owed head without room holds the others for so long: a delay that Critical bears, once for each share that the band
 * has earned. Milliseconds.
 */
export const HOLD_MS = 100;

/** Who is owed goes before who is owed, from the lowest band up: a higher one's share never delays a lower one's. */
const LOWEST_FIRST: readonly Band[] = BANDS.toReversed();

/**
 * How much of the bytes of all bands may be taken when a request of the band joins: what lower bands hold never shuts
 * Critical out.
 */
const SHARE_OF_BYTES: Readonly<Record<Band, number>> = { critical: 1, standard: 3 / 4, sheddable: 1 / 2 };

/** A larger request counts as this: no engine has the room for it, and the steps of a turn stay bounded. */
export const MAX_TOKENS = 2 ** 20;

/** What a band is owed, and what it did with it. */
interface Share {
  /** Tokens that higher bands dispatched while the band waited, less those that its own requests have used up. */
  passed: number;
  /** Clock, milliseconds: from when its owed head has held the others; undefined: it has not, or may do so again. */
  holdsSince: number | undefined;
  /** Tokens that higher bands dispatched although its head was owed. */
  passedOwed: number;
}

/** The bands whose turn is over for one dispatch. */
interface Offered {
  /** Of their share: it was offered. */
  readonly offered: Set<Band>;
  /** Nothing of them, nor of lower ones, finds room. */
  readonly full: Set<Band>;
  /** All that may pass their head has been offered. */
  readonly aside: Set<Band>;
}

const nothingOwed = (): Share => ({ passed: 0, holdsSince: undefined, passedOwed: 0 });

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
  const shares: Record<Band, Share> = { critical: nothingOwed(), standard: nothingOwed(), sheddable: nothingOwed() };
  let order = 0;
  let dispatching = false;

  function takeOut(waiter: Waiter<T>): void {
    waiters.delete(waiter.item);
    expiries.delete(waiter);
    const { band } = waiter.item;
    bands[band].delete(waiter);
    if (bands[band].requests === 0) shares[band] = nothingOwed();
    bytes -= waiter.bytes;
  }

  /** Out without being dispatched. What a large head was owed is not for the many behind it: one of them may be, at most. */
  function giveUp(waiter: Waiter<T>): void {
    const band = bands[waiter.item.band];
    const wasNext = band.head() === waiter;
    takeOut(waiter);
    const head = wasNext ? band.head() : undefined;
    if (head === undefined) return;
    const share = shares[waiter.item.band];
    share.passed = Math.min(share.passed, head.tokens * STARVATION_RATIO);
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
    const stillHoldsAsMuch = (requestsLess: number, bytesLess: number) =>
      tooLarge > 0
        ? longest.requests >= requestsLess && longest.bytes - bytesLess >= queue.bytes + item.bytes
        : longest.requests - requestsLess >= queue.requests + 1;
    if (!stillHoldsAsMuch(tooMany, tooLarge)) return undefined;
    const leaving = newestOf(longest, tooMany, tooLarge);
    const freed = leaving.reduce((sum, waiter) => sum + waiter.bytes, 0);
    return stillHoldsAsMuch(leaving.length, freed) ? leaving : undefined;
  }

  function owedHead(band: Band): Waiter<T> | undefined {
    const head = bands[band].head();
    return head !== undefined && shares[band].passed >= head.tokens * STARVATION_RATIO ? head : undefined;
  }

  /** Whose turn it is over all bands, and whether by its share. */
  function next({ offered, full, aside }: Offered): { readonly head: Waiter<T>; readonly owed: boolean } | undefined {
    for (const band of LOWEST_FIRST) {
      const head = offered.has(band) ? undefined : owedHead(band);
      if (head !== undefined) return { head, owed: true };
    }
    for (const band of BANDS) {
      if (full.has(band)) return undefined;
      const head = aside.has(band) ? undefined : bands[band].head();
      if (head !== undefined) return { head, owed: false };
    }
    return undefined;
  }

  /** What a head that stepped aside lets pass: one request, or nothing. */
  function offerBehind(band: Band, take: (item: T, owed: boolean) => Offer): Offer {
    for (const waiter of bands[band].behindHead()) {
      const offer = take(waiter.item, false);
      if (offer === 'taken') settle(waiter, false);
      if (offer !== 'aside') return offer;
    }
    return 'aside';
  }

  /** Whether an owed head that finds no room holds the others now. */
  function holds(head: Waiter<T>, now: number): boolean {
    const share = shares[head.item.band];
    if (share.holdsSince === undefined || share.passedOwed >= head.tokens * STARVATION_RATIO) {
      share.holdsSince = now;
      share.passedOwed = 0;
    }
    return now - share.holdsSince < HOLD_MS;
  }

  function pass(band: Band, tokens: number): void {
    for (const lower of BANDS.slice(BANDS.indexOf(band) + 1)) {
      if (bands[lower].requests === 0) continue;
      // What passes an owed head buys it no more than another hold: else many would be owed at once after it.
      if (owedHead(lower) === undefined) shares[lower].passed += tokens;
      else shares[lower].passedOwed += tokens;
    }
  }

  function settle(taken: Waiter<T>, owed: boolean): void {
    // What `take` set off may have removed it already.
    if (waiters.get(taken.item) !== taken) return;
    const { band } = taken.item;
    bands[band].charge(taken);
    const share = shares[band];
    share.passed = Math.max(0, share.passed - taken.tokens * STARVATION_RATIO);
    if (owed) {
      share.holdsSince = undefined;
      share.passedOwed = 0;
    }
    takeOut(taken);
    pass(band, taken.tokens);
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
      for (const waiter of leaving) giveUp(waiter);
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
      giveUp(waiter);
      return true;
    },
    expire(now) {
      const expired: T[] = [];
      for (let waiter = expiries.first; waiter !== undefined && waiter.expiresAt <= now; waiter = expiries.first) {
        giveUp(waiter);
        expired.push(waiter.item);
      }
      return expired;
    },
    nextExpiry: () => expiries.first?.expiresAt ?? Number.POSITIVE_INFINITY,
    dispatch(now, take) {
      if (dispatching) return;
      dispatching = true;
      const past: Offered = { offered: new Set(), full: new Set(), aside: new Set() };
      try {
        for (let turn = next(past); turn !== undefined; turn = next(past)) {
          const { head, owed } = turn;
          const { band } = head.item;
          const offer = take(head.item, owed);
          if (offer === 'taken') settle(head, owed);
          else if (owed) {
            if (offer === 'no-room' && holds(head, now)) return;
            past.offered.add(band);
            if (offer === 'no-room') past.full.add(band);
          } else {
            const behind = offer === 'aside' ? offerBehind(band, take) : offer;
            if (behind === 'no-room') return;
            if (behind === 'aside') past.aside.add(band);
          }
        }
      } finally {
        dispatching = false;
      }
    },
    passBy({ band, tokens }, now, take) {
      const lowest = BANDS.indexOf(band);
      const first = BANDS.every((other, at) => {
        if (at <= lowest) return bands[other].requests === 0;
        const head = owedHead(other);
        return head === undefined || !holds(head, now);
      });
      if (!first || !take()) return false;
      pass(band, Math.min(MAX_TOKENS, tokens));
      return true;
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
