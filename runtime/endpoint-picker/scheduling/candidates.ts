/**
 * The endpoints that may serve a request, as columns: row i of each column is candidate i, rows from `count` on are
 * left over from earlier requests. One object is filled again for every request, so that a pick allocates nothing per
 * endpoint. NaN: not known.
 */
export interface Candidates {
  count: number;
  readonly capacity: number;
  /** Requests in the batch, brought up to date by the ledger. */
  readonly running: Float64Array;
  /** 0..1. */
  readonly kvUsage: Float64Array;
  /** Leading blocks of the prompt that the endpoint is thought to hold. */
  readonly matchedBlocks: Float64Array;
  /** Order of the last pick for a prompt that nobody held; 0: never. */
  readonly lastColdPick: Float64Array;
  /** Order of the last pick; 0: never. */
  readonly lastPick: Float64Array;
  /** Milliseconds until the prompts that were sent there are computed. */
  readonly startMs: Float64Array;
  /** Milliseconds until those that wait there have started, by the pace at which others did; NaN: none waits, or not known. */
  readonly queueMs: Float64Array;
  /** What a token in the KV cache costs others there, in seconds; 0 while there is room for all. */
  readonly kvTokenSeconds: Float64Array;
  /** Minus infinity where the batch is full; else room in the KV cache, less what was sent there since it was told. Tokens. */
  readonly kvFreeTokens: Float64Array;
  /** Learned: seconds of an uncached prompt token, of a decode step, and what each sequence in the batch adds to it. */
  readonly tokenSeconds: Float64Array;
  readonly stepSeconds: Float64Array;
  readonly sequenceSeconds: Float64Array;
  /** Ledger: requests in flight. */
  readonly inFlight: Float64Array;
  /** Ledger: tokens of the requests in flight that are still ahead. */
  readonly workTokens: Float64Array;
  /** Seconds that the request's adapter costs there; 0 for the base model. */
  readonly adapterSeconds: Float64Array;
}

export function createCandidates(capacity: number): Candidates {
  const column = () => new Float64Array(capacity);
  return {
    count: 0,
    capacity,
    running: column(),
    kvUsage: column(),
    matchedBlocks: column(),
    lastColdPick: column(),
    lastPick: column(),
    startMs: column(),
    queueMs: column(),
    kvFreeTokens: column(),
    kvTokenSeconds: column(),
    tokenSeconds: column(),
    stepSeconds: column(),
    sequenceSeconds: column(),
    inFlight: column(),
    workTokens: column(),
    adapterSeconds: column(),
  };
}

/** Keeps the rows for which `keep` holds, in their order; `places` goes along. */
export function keepRows(candidates: Candidates, places: Int32Array, keep: (row: number) => boolean): void {
  const columns = Object.values(candidates).filter((column) => column instanceof Float64Array);
  let kept = 0;
  for (let row = 0; row < candidates.count; row++) {
    if (!keep(row)) continue;
    if (kept < row) {
      for (const column of columns) column[kept] = column[row]!;
      places[kept] = places[row]!;
    }
    kept += 1;
  }
  candidates.count = kept;
}
