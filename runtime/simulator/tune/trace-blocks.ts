import type { Workload } from '../fleet/fleet-request';
import { madeRequests, type RequestList } from '../workload/request-list';

/** A part of a trace. */
export interface TraceBlock {
  /** The first at 0. */
  readonly requests: Workload;
  /** When the last one comes. */
  readonly seconds: number;
}

/** A trace in parts that follow each other; every second one is held out of the search. */
export interface TraceBlocks {
  readonly search: readonly TraceBlock[];
  readonly heldOut: readonly TraceBlock[];
}

/** A part must show a P99. */
const LEAST_REQUESTS_PER_BLOCK = 200;
/** Of each kind. An interval needs three parts; more than ten make it hardly narrower. */
const PAIRS = { least: 3, most: 10 };

/**
 * Cuts a trace into parts of the same number of requests, each of which begins at 0. They take turns, so that a load
 * that changes over the day is in both kinds. Throws when there are too few requests.
 */
export function traceBlocks(requests: RequestList): TraceBlocks {
  const pairs = Math.min(PAIRS.most, Math.floor(requests.length / (2 * LEAST_REQUESTS_PER_BLOCK)));
  if (pairs < PAIRS.least) {
    const needed = 2 * PAIRS.least * LEAST_REQUESTS_PER_BLOCK;
    throw new Error(`the trace has ${requests.length} requests; tuning needs ${needed}: record for longer`);
  }
  const bound = (index: number) => Math.floor((index * requests.length) / (2 * pairs));
  const blocks = Array.from({ length: 2 * pairs }, (_, index) => part(requests, bound(index), bound(index + 1)));
  return {
    search: blocks.filter((_, index) => index % 2 === 0),
    heldOut: blocks.filter((_, index) => index % 2 === 1),
  };
}

/** Requests `from` to before `to`; they stay where they are. */
function part(requests: RequestList, from: number, to: number): TraceBlock {
  const start = requests.at(from)!.at;
  return {
    requests: madeRequests(to - from, (index) => {
      const request = requests.at(from + index)!;
      return { ...request, at: request.at - start };
    }),
    seconds: requests.at(to - 1)!.at - start,
  };
}
