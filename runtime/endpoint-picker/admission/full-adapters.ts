import type { PickRequest } from '../endpoint-picker';
import type { Offer } from './flow-queue';
import type { AdapterFull, RoomLimits } from './room';

/** A request that may wait for room where its adapter is. */
export interface AwaitsAdapter {
  readonly request: Pick<PickRequest, 'adapter'>;
  /** Clock, milliseconds: when it was first found that there is none. */
  asideSince: number | undefined;
}

/**
 * The adapters that one dispatch has found full where they are held: the many requests that wait for one cost the picker
 * one decision.
 */
export interface FullAdapters {
  /** What comes of an offer, as far as it is known without the picker. */
  before(held: AwaitsAdapter, limits: RoomLimits): Offer | undefined;
  /** The picker has found that the request's adapter is full. */
  found(held: AwaitsAdapter, limits: RoomLimits, full: AdapterFull): Offer;
}

/** A dispatch that has found so many ends there: each costs a decision, and the next dispatch is near. */
const MOST = 16;

/** `now`: clock, milliseconds, of the whole dispatch. */
export function createFullAdapters(now: number): FullAdapters {
  /** By the room of a band: what is full for one may not be for another. Milliseconds that loading it elsewhere costs. */
  const loadMs = new Map<RoomLimits, Map<string, number>>();
  let count = 0;

  return {
    before(held, limits) {
      const { adapter } = held.request;
      if (adapter === undefined || count === 0) return undefined;
      const known = loadMs.get(limits)?.get(adapter);
      if (known === undefined) return count < MOST ? undefined : 'no-room';
      held.asideSince ??= now;
      return now - held.asideSince < known ? 'aside' : undefined;
    },
    found(held, limits, full) {
      held.asideSince ??= now;
      const ofLimits = loadMs.get(limits) ?? new Map<string, number>();
      loadMs.set(limits, ofLimits.set(held.request.adapter!, full.loadMs));
      count += 1;
      return 'aside';
    },
  };
}
