import type { AdapterResidency } from '../engine-metrics';
import type { Candidates } from './candidates';

/** Loading an adapter of usual size into a slot. Seconds. */
export const ADAPTER_LOAD_SECONDS = 1;

/** Putting out an adapter that is in use makes its next request load it again, and that one another: the price. Seconds. */
const THRASH_SECONDS = 4;

/** An adapter that was not used for so long costs nothing to put out. Milliseconds. */
const COLD_MS = 60_000;

/** An engine that does not tell its slots is taken to have one, as vLLM has unless `--max-loras` says more. */
const UNKNOWN_SLOTS = 1;

const NONE: readonly string[] = [];

/** What is known of the adapters at an endpoint. */
export interface AdapterPlaces {
  /** By the last scrape; absent where the engine does not tell, or not lately. */
  readonly resident: AdapterResidency | undefined;
  /** Ledger: requests in flight by adapter. */
  readonly inFlight: ReadonlyMap<string, number>;
  /** Ledger: when a request for the adapter came there last, clock in milliseconds; the latest last. */
  readonly recent: ReadonlyMap<string, number>;
}

/**
 * What it costs to serve `adapter` at an endpoint, in seconds: nothing where it is loaded or on its way, the load time
 * where a slot is free, more where another adapter must go, by how lately that one was used. Engines put out the least
 * recently used adapter, and none that is in use. `now`: clock, milliseconds.
 */
export function adapterSeconds(adapter: string, places: AdapterPlaces, now: number): number {
  const { resident, inFlight } = places;
  if (inFlight.has(adapter) || resident?.running.has(adapter) || resident?.loaded?.has(adapter)) return 0;
  return cameLately(places).includes(adapter) ? 0 : loadSeconds(nextOutUsedAt(places), now);
}

/** What it costs where the adapter is not held. `nextOut`: as `nextOutUsedAt` tells. */
export function loadSeconds(nextOut: number, now: number): number {
  return ADAPTER_LOAD_SECONDS + THRASH_SECONDS * Math.min(1, Math.max(0, 1 - (now - nextOut) / COLD_MS));
}

/**
 * When the adapter that goes next was used last, clock in milliseconds: minus infinity where a slot is free, plus
 * infinity where every slot is in use; where the engine does not tell its slots there may be another one.
 */
export function nextOutUsedAt(places: AdapterPlaces): number {
  const slots = slotsOf(places);
  if (inUse(places) >= slots) {
    const told = places.resident !== undefined;
    return told ? Number.POSITIVE_INFINITY : Math.max(...places.recent.values(), Number.NEGATIVE_INFINITY);
  }
  // The latest that came there hold the slots; the first of them goes next.
  let after = places.recent.size;
  for (const at of places.recent.values()) if (after-- === slots) return at;
  return Number.NEGATIVE_INFINITY;
}

/** What the request's adapter costs at least, over all candidates; seconds. Infinity: there is no candidate. */
export function leastAdapterSeconds({ count, adapterSeconds }: Candidates): number {
  let least = Number.POSITIVE_INFINITY;
  for (let row = 0; row < count; row++) least = Math.min(least, adapterSeconds[row]!);
  return least;
}

/**
 * How long a request is better off waiting for an endpoint that holds its adapter than sent to one that does not, where
 * the adapter costs this many seconds: as long as that costs; for ever where every slot is in use, since an engine
 * puts out no adapter in use, and under load one is always in use. Milliseconds.
 */
export function worthWaitingMs(seconds: number): number {
  return seconds < ADAPTER_LOAD_SECONDS + THRASH_SECONDS ? seconds * 1000 : Number.POSITIVE_INFINITY;
}

/** The bits of the adapters that cost nothing at the endpoint; `bits`: those that have one. */
export function heldBits(places: AdapterPlaces, bits: ReadonlyMap<string, number>): number {
  if (bits.size === 0) return 0;
  const { resident, inFlight } = places;
  let held = 0;
  for (const name of inFlight.keys()) held |= bits.get(name) ?? 0;
  for (const name of resident?.running ?? NONE) held |= bits.get(name) ?? 0;
  for (const name of resident?.loaded ?? NONE) held |= bits.get(name) ?? 0;
  for (const name of cameLately(places)) held |= bits.get(name) ?? 0;
  return held;
}

/** The last that came, as many as there are slots; none where all slots are in use. */
function cameLately(places: AdapterPlaces): readonly string[] {
  const { recent } = places;
  const slots = slotsOf(places);
  return recent.size === 0 || inUse(places) >= slots ? NONE : [...recent.keys()].slice(-slots);
}

function slotsOf({ resident }: AdapterPlaces): number {
  return Math.max(1, resident?.slots ?? UNKNOWN_SLOTS);
}

function inUse({ resident, inFlight }: AdapterPlaces): number {
  let count = inFlight.size;
  for (const name of resident?.running ?? NONE) if (!inFlight.has(name)) count += 1;
  return count;
}
