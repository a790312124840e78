import { readRecordingLines } from '../../recording/read-lines';
import type { EndLine, FleetLine, PickLine } from '../../recording/recording-line';
import { openPrefix } from '../../recording/sealed-hashes';
import { BLOCK_TOKENS, TOKEN_BYTES } from '../engine/types';
import type { FleetRequest } from '../fleet/fleet-request';
import { HASHED_BLOCK_TOKENS } from './block-ids';
import { createConnections } from './connections';
import { madeRequests, type RequestList } from './request-list';

/** What one recording holds: the requests, and what served them. */
export interface RecordingTrace {
  /** In order of arrival, the first at 0. Made as they are needed: their blocks take many times what the lines do. */
  readonly requests: RequestList;
  /** The schedulers that decided, as they were last told of. */
  readonly schedulers: FleetLine['fleet'];
  /** Lines that the router could not write. */
  readonly dropped: number;
}

/*
 * What a recording does not tell is assumed. A token of a prompt is `TOKEN_BYTES`. An answer's tokens are not read by the
 * router, so they follow from its duration: a token each 25 ms after the first one, and the first, where it was not
 * sampled, 50 ms and 0.1 ms for each prompt token after the decision. An answer that did not end well has the median
 * of the others.
 */
const TOKEN_SECONDS = 0.025;
const FIRST_TOKEN_SECONDS = 0.05;
const PREFILL_TOKEN_SECONDS = 0.0001;
const UNKNOWN_OUTPUT_TOKENS = 200;
const BLOCKS_OF_HASH = HASHED_BLOCK_TOKENS / BLOCK_TOKENS;

interface Recorded {
  readonly pick: PickLine;
  end: EndLine | undefined;
  /** Seconds since the first header. */
  readonly at: number;
  /** Routers that wrote to the file before; numbers of adapters begin anew with each. */
  readonly part: number;
}

/**
 * Reads a recording, whole: its size is bounded where it is written. `scheduler`: of this one alone. The last line of a
 * router that was killed may be cut short; another line that cannot be read throws, with its number and what is wrong.
 * Requests that the model server refused as faulty (400 to 499, but not the 408 and 429 of load) are left out: no fleet
 * has work with them.
 */
export function parseRecording(lines: Iterable<string>, scheduler?: string): RecordingTrace {
  const all: Recorded[] = [];
  let byNumber = new Map<number, Recorded>();
  let schedulers: FleetLine['fleet'] = [];
  let dropped = 0;
  let part = -1;
  let began = 0;
  let offset = 0;
  for (const line of readRecordingLines(lines)) {
    if ('recording' in line) {
      const created = Date.parse(line.created) / 1000;
      part += 1;
      if (part === 0) began = created;
      offset = Math.max(created - began, all.at(-1)?.at ?? 0);
      byNumber = new Map();
    } else if ('pick' in line) {
      if (scheduler !== undefined && line.scheduler !== scheduler) continue;
      const recorded: Recorded = { pick: line, end: undefined, at: offset + line.at, part };
      all.push(recorded);
      byNumber.set(line.pick, recorded);
    } else if ('end' in line) {
      const recorded = byNumber.get(line.end);
      if (recorded !== undefined) recorded.end = line;
      byNumber.delete(line.end);
    } else if ('fleet' in line) {
      schedulers = line.fleet;
    } else if ('dropped' in line) {
      dropped += line.dropped;
    }
  }
  const served = all.filter(({ end }) => !isFaulty(end?.status));
  // A picker that takes its time may decide out of order.
  served.sort((one, other) => one.at - other.at);
  const connections = Array.from(served, createConnections());
  const unknownTokens = medianOutputTokens(served) ?? UNKNOWN_OUTPUT_TOKENS;
  return {
    requests: madeRequests(served.length, (index) => {
      const recorded = served[index]!;
      return fleetRequest(recorded, recorded.at - served[0]!.at, unknownTokens, connections[index]!);
    }),
    schedulers,
    dropped,
  };
}

function fleetRequest({ pick, end, part }: Recorded, at: number, unknown: number, connection: number): FleetRequest {
  const prefixHashes = pick.prefix === undefined ? [] : openPrefix(pick.prefix);
  const { maxOutputTokens, adapter } = pick;
  return {
    at,
    promptTokens: promptTokens(pick),
    outputTokens: Math.min(outputTokens(pick, end) ?? unknown, maxOutputTokens || Number.POSITIVE_INFINITY),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    blocks: engineBlocks(prefixHashes),
    prefixHashes,
    ...(adapter !== undefined && { adapter: part === 0 ? adapter : `${adapter}-${part}` }),
    connection,
  };
}

function promptTokens({ promptBytes }: PickLine): number {
  return Math.max(1, Math.ceil(promptBytes / TOKEN_BYTES));
}

/** Undefined where the answer did not end well. */
function outputTokens(pick: PickLine, end: EndLine | undefined): number | undefined {
  if (end?.status === undefined || end.status >= 300) return undefined;
  const firstToken = end.firstToken ?? FIRST_TOKEN_SECONDS + PREFILL_TOKEN_SECONDS * promptTokens(pick);
  return 1 + Math.max(0, Math.round((end.at - pick.at - firstToken) / TOKEN_SECONDS));
}

function medianOutputTokens(recorded: readonly Recorded[]): number | undefined {
  const known = recorded.flatMap(({ pick, end }) => outputTokens(pick, end) ?? []).sort((one, other) => one - other);
  return known[known.length >> 1];
}

/** A model server's answer to a request that no other would serve either. */
function isFaulty(status = 200): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

/** Ids of the engine's blocks, which are smaller than those hashed. */
function engineBlocks(hashes: readonly number[]): number[] {
  const blocks = new Array<number>(hashes.length * BLOCKS_OF_HASH);
  for (let index = 0; index < blocks.length; index++) {
    blocks[index] = hashes[Math.floor(index / BLOCKS_OF_HASH)]! * BLOCKS_OF_HASH + (index % BLOCKS_OF_HASH);
  }
  return blocks;
}
