import type { AdapterResidency } from '../engine-metrics';

/** Loading an adapter of usual size into a slot. Seconds. */
export const ADAPTER_LOAD_SECONDS = 1;

/** Putting out an adapter that is in use makes its next request load it again, and that one another: the price. Seconds. */
const THRASH_SECONDS = 4;

/** An adapter that was not used for so long costs nothing to put out. Milliseconds. */
const COLD_MS = 60_000;

/** An engine that does not tell its slots is taken to have one, as vLLM has unless `--max-loras` says more. */
const UNKNOWN_SLOTS = 1;

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
export function adapterSeconds(adapter: string, { resident, inFlight, recent }: AdapterPlaces, now: number): number {
  if (inFlight.has(adapter) || resident?.running.has(adapter) || resident?.loaded?.has(adapter)) return 0;
  const slots = Math.max(1, resident?.slots ?? UNKNOWN_SLOTS);
  if (inUse(resident, inFlight) >= slots) return ADAPTER_LOAD_SECONDS + THRASH_SECONDS;
  // The latest that came there hold the slots; the first of them goes next.
  let after = recent.size;
  let next = Number.NEGATIVE_INFINITY;
  for (const [name, at] of recent) {
    if (after <= slots && name === adapter) return 0;
    if (after === slots) next = at;
    after -= 1;
  }
  return ADAPTER_LOAD_SECONDS + THRASH_SECONDS * Math.max(0, 1 - (now - next) / COLD_MS);
}

function inUse(resident: AdapterResidency | undefined, inFlight: ReadonlyMap<string, number>): number {
  let count = inFlight.size;
  for (const name of resident?.running ?? []) if (!inFlight.has(name)) count += 1;
  return count;
}
