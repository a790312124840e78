/** What one scrape told about an endpoint. NaN: the engine does not tell it. */
export interface EngineMetrics {
  /** Requests waiting for a place in the batch. */
  readonly waiting: number;
  /** Requests in the batch. */
  readonly running: number;
  /** Used share of the KV cache, 0..1. */
  readonly kvUsage: number;
  /** Absent where the engine does not report LoRA adapters. */
  readonly adapters: AdapterResidency | undefined;
  /** Tokens that the KV cache holds. */
  readonly kvCapacityTokens: number;
  readonly counters: EngineCounters;
}

/**
 * Totals since the engine's start, from which its speed is learned. NaN: not told. A total below its former value means
 * that the engine has restarted. Sums are seconds.
 */
export interface EngineCounters {
  /** Prompt tokens of requests whose prefill is done, those found in the prefix cache included. */
  readonly promptTokens: number;
  /** Of those, found in the prefix cache. */
  readonly cachedTokens: number;
  readonly generatedTokens: number;
  /** Steps of the engine that had work. */
  readonly steps: number;
  /** Time to first token, from arrival in the engine. */
  readonly firstTokenSum: number;
  readonly firstTokenCount: number;
  /** Inter-token latency: one observation a token, the first of a request left out. */
  readonly interTokenSum: number;
  readonly interTokenCount: number;
  /** From arrival in the queue until the request was first scheduled, told at its end. */
  readonly queueSum: number;
  /** From first scheduled to first token, told at the request's end. */
  readonly prefillSum: number;
  /** From first to last token, told at the request's end. */
  readonly decodeSum: number;
  /** Requests in the three sums before. */
  readonly finishedCount: number;
}

export const NO_COUNTERS: EngineCounters = {
  promptTokens: Number.NaN,
  cachedTokens: Number.NaN,
  generatedTokens: Number.NaN,
  steps: Number.NaN,
  firstTokenSum: Number.NaN,
  firstTokenCount: Number.NaN,
  interTokenSum: Number.NaN,
  interTokenCount: Number.NaN,
  queueSum: Number.NaN,
  prefillSum: Number.NaN,
  decodeSum: Number.NaN,
  finishedCount: Number.NaN,
};

/** Nothing known: what an endpoint without fresh metrics looks like to the scorers. */
export const NO_METRICS: EngineMetrics = {
  waiting: Number.NaN,
  running: Number.NaN,
  kvUsage: Number.NaN,
  adapters: undefined,
  kvCapacityTokens: Number.NaN,
  counters: NO_COUNTERS,
};

export interface AdapterResidency {
  readonly running: ReadonlySet<string>;
  readonly waiting: ReadonlySet<string>;
  /** Adapters in `running` or `waiting`, each counted once. */
  readonly distinct: number;
  /** Adapters that occupy a slot, those without requests included. Absent where the engine does not tell them. */
  readonly loaded?: ReadonlySet<string>;
  /** Adapters that fit at once. */
  readonly slots: number;
}
