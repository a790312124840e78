import { type BusyTime, createBusyTime, noteRequests } from './busy-time';
import { append, createPrefillBacklog, type PrefillBacklog } from './prefill-backlog';

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
  /** Requests sent here, ever, less those that moved away or were given up unanswered. */
  sent: number;
  readonly busy: BusyTime;
  readonly backlog: PrefillBacklog;
  /** The last in line of the requests in flight, from which the others are found by `older`. */
  newest: LedgerEntry | undefined;
  /** Requests in flight by LoRA adapter. */
  readonly adapters: Map<string, number>;
  /** When a request for a LoRA adapter came here last (clock, milliseconds), the latest last; at most `MAX_RECENT`. */
  readonly recentAdapters: Map<string, number>;
}

/** No engine is set up to hold more adapters at once. */
const MAX_RECENT = 64;

export interface LedgerEntry extends RequestSize {
  /** Where it is counted now; undefined while it is served by an address unknown to the pool, and at the end. */
  load: EndpointLoad | undefined;
  over: boolean;
  /** Clock, milliseconds: when it was sent to where it is counted. */
  sentAt: number;
  /** Clock, milliseconds: when it is out of the engine's front end, about. */
  readyAt: number;
  /** Its place in the line of prompts there, and the tokens up to it that were to be computed when it was sent. */
  place: number;
  tokensAhead: number;
  older: LedgerEntry | undefined;
  newer: LedgerEntry | undefined;
}

/** Tokens are whole, so that sums return to zero exactly. */
export interface RequestSize {
  readonly promptTokens: number;
  readonly uncachedTokens: number;
  readonly outputTokens: number;
  readonly adapter: string | undefined;
}

export function createLoad(): EndpointLoad {
  return {
    requests: 0,
    uncachedTokens: 0,
    outputTokens: 0,
    ended: 0,
    sent: 0,
    busy: createBusyTime(),
    backlog: createPrefillBacklog(),
    newest: undefined,
    adapters: new Map(),
    recentAdapters: new Map(),
  };
}

/** Enters a request. `tokenSeconds`: what a prompt token takes at the endpoint; `now`: clock, milliseconds. */
export function enter(load: EndpointLoad, size: RequestSize, tokenSeconds: number, now: number): LedgerEntry {
  const entry: LedgerEntry = {
    load,
    over: false,
    promptTokens: whole(size.promptTokens),
    uncachedTokens: whole(size.uncachedTokens),
    outputTokens: whole(size.outputTokens),
    adapter: size.adapter,
    sentAt: now,
    readyAt: now,
    place: 0,
    tokensAhead: 0,
    older: undefined,
    newer: undefined,
  };
  add(load, entry, tokenSeconds, now);
  return entry;
}

/** Counts the request at another load; `undefined`: nowhere in this pool. Nothing happens once it is over. */
export function move(entry: LedgerEntry, to: EndpointLoad | undefined, tokenSeconds: number, now: number): void {
  if (entry.over || entry.load === to) return;
  if (entry.load !== undefined) subtract(entry.load, entry, now);
  entry.load = to;
  if (to !== undefined) add(to, entry, tokenSeconds, now);
}

/** Ends the request; `answered`: with success, as far as is known. Idempotent. */
export function release(entry: LedgerEntry, answered: boolean, now: number): void {
  if (entry.over) return;
  entry.over = true;
  if (entry.load === undefined) return;
  subtract(entry.load, entry, now);
  if (answered) entry.load.sent += 1;
  entry.load.ended += 1;
  entry.load = undefined;
}

/**
 * An engine's front end reads a prompt before it is queued: of two requests sent together the shorter is queued first.
 * Milliseconds a token, by what public measurements of vLLM show for prompts of some thousand tokens.
 */
const FRONT_END_MS_PER_TOKEN = 0.015;

/** A request in flight is past its prefill for most of its life: this part of its uncached tokens is still ahead. */
const PREFILL_AHEAD = 1 / 8;

/** Tokens that the endpoint is expected to work through still, of the prompts and of the answers. */
export function workTokens(load: EndpointLoad): number {
  return load.uncachedTokens * PREFILL_AHEAD + load.outputTokens;
}

function add(load: EndpointLoad, entry: LedgerEntry, tokenSeconds: number, now: number): void {
  load.requests += 1;
  load.sent += 1;
  load.uncachedTokens += entry.uncachedTokens;
  load.outputTokens += entry.outputTokens;
  noteRequests(load.busy, load.requests, now);
  entry.sentAt = now;
  entry.readyAt = now + entry.promptTokens * FRONT_END_MS_PER_TOKEN;
  const end = append(load.backlog, entry.uncachedTokens, tokenSeconds, now);
  standInLine(load, entry, end);
  entry.tokensAhead = Math.max(0, entry.place - load.backlog.done);
  if (entry.adapter === undefined) return;
  load.adapters.set(entry.adapter, (load.adapters.get(entry.adapter) ?? 0) + 1);
  load.recentAdapters.delete(entry.adapter);
  load.recentAdapters.set(entry.adapter, now);
  if (load.recentAdapters.size > MAX_RECENT) load.recentAdapters.delete(load.recentAdapters.keys().next().value!);
}

/** Behind all that are in flight, but before those that the front end still holds back. `end`: of the line with the entry. */
function standInLine(load: EndpointLoad, entry: LedgerEntry, end: number): void {
  entry.place = end;
  entry.newer = undefined;
  entry.older = load.newest;
  for (let other = load.newest; other !== undefined && other.readyAt > entry.readyAt; other = other.older) {
    entry.place = other.place - other.uncachedTokens + entry.uncachedTokens;
    other.place += entry.uncachedTokens;
    entry.newer = other;
    entry.older = other.older;
  }
  if (entry.newer === undefined) load.newest = entry;
  else entry.newer.older = entry;
  if (entry.older !== undefined) entry.older.newer = entry;
}

function subtract(load: EndpointLoad, entry: LedgerEntry, now: number): void {
  load.requests -= 1;
  load.sent -= 1;
  load.uncachedTokens -= entry.uncachedTokens;
  load.outputTokens -= entry.outputTokens;
  noteRequests(load.busy, load.requests, now);
  if (entry.newer === undefined) load.newest = entry.older;
  else entry.newer.older = entry.older;
  if (entry.older !== undefined) entry.older.newer = entry.newer;
  if (entry.adapter === undefined) return;
  const left = (load.adapters.get(entry.adapter) ?? 1) - 1;
  if (left > 0) load.adapters.set(entry.adapter, left);
  else load.adapters.delete(entry.adapter);
}

function whole(tokens: number): number {
  return Math.max(0, Math.round(tokens));
}
