import type { BlockHash } from '../../endpoint-picker/endpoint-picker';

/** One request of a simulated client. Tokens are the model's; the picker sees them as 4 bytes each. */
export interface FleetRequest {
  /** Seconds since the start of the run; never before that of the request before it. */
  readonly at: number;
  /** At least 1. */
  readonly promptTokens: number;
  /** Tokens that the answer has. Only the engine and the oracle know it. */
  readonly outputTokens: number;
  /** `max_tokens` of the request, where the client sends one. */
  readonly maxOutputTokens?: number;
  /**
   * Chained ids of the prompt's leading 16-token blocks that other requests may have too: what the engine's prefix
   * cache works on (`EngineRequest.blocks`). Requests of one prefix group share one array.
   */
  readonly blocks: ArrayLike<number>;
  /** Chained hashes of all whole 64-token blocks of the prompt, private ones included, at most 512: what the picker sees. */
  readonly prefixHashes: readonly BlockHash[];
  /** LoRA adapter. */
  readonly adapter?: string;
  /** Of its objective: above 0 Critical, 0 Standard, below 0 Sheddable. Default 0. */
  readonly priority?: number;
  /** Who shares fairly with others of the band. */
  readonly tenant?: string;
  /** Number of the client's kept-alive connection, from 0: what a connection-pinned balancer goes by. */
  readonly connection: number;
}

/** The requests of one run in order of arrival, made as they are needed. */
export type Workload = Iterable<FleetRequest>;
