/** KV tokens in one cache block, as in vLLM on GPUs. */
export const BLOCK_TOKENS = 16;

/** What the engine is told of one request. It never sees text: prompts are token counts and block ids. */
export interface EngineRequest {
  /** Unique among the requests that are in the engine. */
  readonly id: string;
  /** At least 1. */
  readonly promptTokens: number;
  /**
   * Ids of the 16-token blocks of the prompt and, where a trace knows them, of the output after it. Block `i` covers
   * tokens `16i .. 16i+15`. An id stands for the block *and everything before it* (a chained hash, or a trace's own
   * ids), as safe integers. Tokens beyond the list are private: never found in the prefix cache.
   */
  readonly blocks: ArrayLike<number>;
  /** Tokens generated before the request finishes; 0 for prefill-only work such as embeddings. */
  readonly outputTokens: number;
  /** LoRA adapter; absent for the base model. Prefix blocks of different adapters never match. */
  readonly adapter?: string;
}

/** Why the engine refuses a request outright. */
export type RejectionReason = 'prompt-too-long' | 'adapters-disabled';

/** Something that happened at engine time `at` (seconds). */
export type EngineEvent =
  /** The prompt has been computed and its first output token exists; never sent for prefill-only requests. */
  | { readonly type: 'first-token'; readonly at: number; readonly id: string; readonly cachedTokens: number }
  /** One step's output: each request named here has one token more (its first and last ones included). */
  | { readonly type: 'tokens'; readonly at: number; readonly ids: readonly string[] }
  | {
      readonly type: 'finished';
      readonly at: number;
      readonly id: string;
      readonly generatedTokens: number;
      readonly cachedTokens: number;
    }
  /** The request lost its KV blocks and waits at the head of the queue to be recomputed. */
  | { readonly type: 'preempted'; readonly at: number; readonly id: string }
  | { readonly type: 'adapter-loaded'; readonly at: number; readonly adapter: string }
  | { readonly type: 'rejected'; readonly at: number; readonly id: string; readonly reason: RejectionReason };

/** The engine's state as its metrics would show it. */
export interface EngineSnapshot {
  /** Accepted, still in the API front end (tokenising): not yet counted by a server's queue metric. */
  readonly frontEnd: number;
  readonly waiting: number;
  readonly running: number;
  /** Blocks held by running requests; cached blocks that nobody holds count as free. */
  readonly usedBlocks: number;
  readonly totalBlocks: number;
  /** `usedBlocks / totalBlocks`, 0..1. */
  readonly kvUsage: number;
  /** Prompt tokens looked up in the prefix cache, and those found, since the start. */
  readonly prefixQueries: number;
  readonly prefixHits: number;
  readonly preemptions: number;
  /** Adapters of running and of waiting requests, each sorted, without repeats. */
  readonly runningAdapters: readonly string[];
  readonly waitingAdapters: readonly string[];
}
