import type { FleetRequest } from '../fleet/fleet-request';

/** A trace in parts that follow each other; every second one is held out of the search. */
export interface TraceBlocks {
  readonly search: readonly (readonly FleetRequest[])[];
  readonly heldOut: readonly (readonly FleetRequest[])[];
}

/** A part must show a P99. */
const LEAST_REQUESTS_PER_BLOCK = 200;
/** Of each kind. An interval needs three parts; more than ten make it hardly narrower. */
const PAIRS = { least: 3, most: 10 };

/**
 * Cuts a trace into parts of the same number of requests, each of which begins at 0. They take turns, so that a load
 * that changes over the day is in both kinds. Throws when there are too few requests.
 */
export function traceBlocks(requests: readonly FleetRequest[]): TraceBlocks {
  const pairs = Math.min(PAIRS.most, Math.floor(requests.length / (2 * LEAST_REQUESTS_PER_BLOCK)));
  if (pairs < PAIRS.least) {
    const needed = 2 * PAIRS.least * LEAST_REQUESTS_PER_BLOCK;
    throw new Error(`the trace has ${requests.length} requests; tuning needs ${needed}: record for longer`);
  }
  const blocks = Array.from({ length: 2 * pairs }, (_, index) => {
    const from = Math.floor((index * requests.length) / (2 * pairs));
    const block = requests.slice(from, Math.floor(((index + 1) * requests.length) / (2 * pairs)));
    return block.map((request) => ({ ...request, at: request.at - block[0]!.at }));
  });
  return {
    search: blocks.filter((_, index) => index % 2 === 0),
    heldOut: blocks.filter((_, index) => index % 2 === 1),
  };
}
