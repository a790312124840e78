import type { EngineCounters } from '../../endpoint-picker/engine-metrics';

/** KV tokens in one cache block, as in vLLM on GPUs. */
export const BLOCK_TOKENS = 16;

/** Bytes of text that stand for one token: near what BPE vocabularies reach on English. */
export const TOKEN_BYTES = 4;

/** Unique among the requests that are in the engine; 1 and '1' are two ids. */
export type RequestId = number | string;

/** What the engine is told of one request. It never sees text: prompts are token counts and block ids. */
export interface EngineRequest {
  readonly id: RequestId;
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
  | { readonly type: 'first-token'; readonly at: number; readonly id: RequestId; readonly cachedTokens: number }
  /** One step's output: each request named here has one token more (its first and last ones included). Only of an engine with token events. */
  | { readonly type: 'tokens'; readonly at: number; readonly ids: readonly RequestId[] }
  | {
      readonly type: 'finished';
      readonly at: number;
      readonly id: RequestId;
      readonly generatedTokens: number;
      readonly cachedTokens: number;
    }
  /** The request lost its KV blocks and waits at the head of the queue to be recomputed. */
  | { readonly type: 'preempted'; readonly at: number; readonly id: RequestId }
  | { readonly type: 'adapter-loaded'; readonly at: number; readonly adapter: string }
  | { readonly type: 'rejected'; readonly at: number; readonly id: RequestId; readonly reason: RejectionReason };

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
  /** Totals as vLLM counts them; none is NaN. A cancelled request is in no total that is told at a request's end. */
  readonly counters: EngineCounters;
}

/** What only the simulator can know of an engine; for a router that cheats. */
export interface EngineInsight {
  /**
   * Tokens to compute before those of a request submitted now: of the batch, the queue and the front end, less what
   * the cache holds of them or an earlier one with the same `blocks` list will have put there.
   */
  readonly prefillTokensAhead: number;
  /** Tokens of the asked prompt that need no computing: in the cache now, or ahead with the same `blocks` list. */
  readonly cachedTokens: number;
  /** Blocks that nobody holds. */
  readonly freeBlocks: number;
  readonly running: number;
  /** In the queue and the front end. */
  readonly waiting: number;
  /** Mean duration of a step with the present batch and no prefill, at the present speed. */
  readonly decodeStepSeconds: number;
  /** Mean output tokens that the running sequences still have to make; 0 when none runs. */
  readonly remainingTokensMean: number;
  /**
   * Until there are blocks for the asked prompt and all those ahead, when the running sequences end after their true
   * lengths at the present step time. 0 when there are now; when the running ones all ending is not enough, the time
   * until the last of them ends.
   */
  readonly secondsUntilBlocks: number;
  /** 0 when the adapter is loaded or none is asked for; Infinity when every slot is in use by others. */
  readonly secondsUntilAdapter: number;
}
