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
}

/** Nothing known: what an endpoint without fresh metrics looks like to the scorers. */
export const NO_METRICS: EngineMetrics = {
  waiting: Number.NaN,
  running: Number.NaN,
  kvUsage: Number.NaN,
  adapters: undefined,
};

export interface AdapterResidency {
  readonly running: ReadonlySet<string>;
  readonly waiting: ReadonlySet<string>;
  /** Adapters in `running` or `waiting`, each counted once. */
  readonly distinct: number;
  /** Adapters that fit at once. */
  readonly slots: number;
}
