/**
 * The in-flight ledger. Each generation of an endpoint has one `EndpointLoad`, and each entry points at the load it is
 * counted in: when an endpoint goes and comes back, entries of its former life are taken from the former load, so no
 * count can go below zero. An entry is owned by one ticket and leaves the ledger exactly once.
 */
export interface EndpointLoad {
  /** Requests in flight. */
  requests: number;
  /** Prompt tokens of those requests that no prefix cache was expected to hold. */
  uncachedTokens: number;
  /** Tokens that those requests are expected to generate. */
  outputTokens: number;
  /** Requests that ended here, ever. A request that moved away did not end here. */
  ended: number;
  /** Requests in flight by LoRA adapter. */
  readonly adapters: Map<string, number>;
  /** LoRA adapters of requests that came here, also of those that ended, the latest last; at most `MAX_RECENT`. */
  readonly recentAdapters: Set<string>;
}

/** No engine is set up to hold more adapters at once. */
const MAX_RECENT = 64;

export interface LedgerEntry {
  /** Where it is counted now; undefined while it is served by an address unknown to the pool, and at the end. */
  load: EndpointLoad | undefined;
  over: boolean;
  readonly uncachedTokens: number;
  readonly outputTokens: number;
  readonly adapter: string | undefined;
}

export interface RequestSize {
  readonly uncachedTokens: number;
  readonly outputTokens: number;
  readonly adapter?: string | undefined;
}

export function createLoad(): EndpointLoad {
  return { requests: 0, uncachedTokens: 0, outputTokens: 0, ended: 0, adapters: new Map(), recentAdapters: new Set() };
}

/** Enters a request. Token counts are rounded, so that sums return to zero exactly. */
export function enter(load: EndpointLoad, size: RequestSize): LedgerEntry {
  const entry: LedgerEntry = {
    load,
    over: false,
    uncachedTokens: Math.max(0, Math.round(size.uncachedTokens)),
    outputTokens: Math.max(0, Math.round(size.outputTokens)),
    adapter: size.adapter,
  };
  add(load, entry);
  return entry;
}

/** Counts the request at another load; `undefined`: nowhere in this pool. Nothing happens once it is over. */
export function move(entry: LedgerEntry, to: EndpointLoad | undefined): void {
  if (entry.over || entry.load === to) return;
  if (entry.load !== undefined) subtract(entry.load, entry);
  entry.load = to;
  if (to !== undefined) add(to, entry);
}

/** Ends the request. Idempotent. */
export function release(entry: LedgerEntry): void {
  if (entry.over) return;
  entry.over = true;
  if (entry.load === undefined) return;
  subtract(entry.load, entry);
  entry.load.ended += 1;
  entry.load = undefined;
}

/** A request in flight is past its prefill for most of its life: this part of its uncached tokens is still ahead. */
const PREFILL_AHEAD = 1 / 8;

/** Tokens that the endpoint is expected to work through still, of the prompts and of the answers. */
export function workTokens(load: EndpointLoad): number {
  return load.uncachedTokens * PREFILL_AHEAD + load.outputTokens;
}

function add(load: EndpointLoad, entry: LedgerEntry): void {
  load.requests += 1;
  load.uncachedTokens += entry.uncachedTokens;
  load.outputTokens += entry.outputTokens;
  if (entry.adapter === undefined) return;
  load.adapters.set(entry.adapter, (load.adapters.get(entry.adapter) ?? 0) + 1);
  load.recentAdapters.delete(entry.adapter);
  load.recentAdapters.add(entry.adapter);
  if (load.recentAdapters.size > MAX_RECENT) load.recentAdapters.delete(load.recentAdapters.values().next().value!);
}

function subtract(load: EndpointLoad, entry: LedgerEntry): void {
  load.requests -= 1;
  load.uncachedTokens -= entry.uncachedTokens;
  load.outputTokens -= entry.outputTokens;
  if (entry.adapter === undefined) return;
  const left = (load.adapters.get(entry.adapter) ?? 1) - 1;
  if (left > 0) load.adapters.set(entry.adapter, left);
  else load.adapters.delete(entry.adapter);
}
