import type { BlockPool } from './block-pool';
import { BLOCK_TOKENS, type EngineRequest, type RequestId } from './types';

/** A request inside the engine. */
export interface Sequence {
  readonly id: RequestId;
  readonly promptTokens: number;
  /** The request's block ids. */
  readonly blockIds: ArrayLike<number>;
  readonly adapter: string | undefined;
  readonly submittedAt: number;
  /** When it leaves the front end for the queue. */
  readonly readyAt: number;
  /** The request's output tokens, cut to what the context length allows. */
  readonly outputTokens: number;
  /** Tokens whose KV exists (found in the cache or computed). */
  computed: number;
  generated: number;
  /** Tokens of this sequence in the step under way. */
  scheduled: number;
  /** Its KV blocks, in token order; the first `adopted` of them were found in the cache. */
  readonly blocks: number[];
  adopted: number;
  /** Prompt tokens found in the prefix cache at first admission; -1 before it. */
  cachedTokens: number;
  /** When it was first admitted, and when its first and last token came; NaN before. */
  admittedAt: number;
  firstTokenAt: number;
  lastTokenAt: number;
}

/** The KV cache as sequences use it. */
export interface KvCache {
  readonly pool: BlockPool;
  /** Tokens in the blocks of all running sequences, those of the step under way included; shared ones once for each. */
  contextTokens: number;
  /** Blocks of all running sequences, shared ones counted once for each. */
  references: number;
}

/** A sequence that is just accepted. */
export function createSequence(request: EngineRequest, now: number, readyAt: number, maxModelLen: number): Sequence {
  return {
    id: request.id,
    promptTokens: request.promptTokens,
    blockIds: request.blocks,
    adapter: request.adapter,
    submittedAt: now,
    readyAt,
    outputTokens: Math.min(request.outputTokens, maxModelLen - request.promptTokens),
    computed: 0,
    generated: 0,
    scheduled: 0,
    blocks: [],
    adopted: 0,
    cachedTokens: -1,
    admittedAt: Number.NaN,
    firstTokenAt: Number.NaN,
    lastTokenAt: Number.NaN,
  };
}

/** Tokens known but without KV: 1 while decoding, more during (re)computation of the prompt. */
export function missingTokens(sequence: Sequence): number {
  return sequence.promptTokens + sequence.generated - sequence.computed;
}

/** True once the only work left is one token a step. */
export function isDecoding(sequence: Sequence): boolean {
  return sequence.generated > 0 && missingTokens(sequence) === 1;
}

/** New blocks needed to hold `tokens` more. */
export function blocksToGrow(sequence: Sequence, tokens: number): number {
  return Math.ceil((sequence.computed + tokens) / BLOCK_TOKENS) - sequence.blocks.length;
}

/** Schedules `tokens` of a sequence in the step: takes blocks for them and publishes those that become full. The caller has checked that the pool has enough. */
export function growSequence(sequence: Sequence, tokens: number, kv: KvCache): void {
  const { blocks, blockIds, computed } = sequence;
  const end = computed + tokens;
  kv.contextTokens += tokens - sequence.scheduled;
  while (blocks.length * BLOCK_TOKENS < end) {
    blocks.push(kv.pool.allocate());
    kv.references++;
  }
  const full = Math.min(blockIds.length, Math.floor(end / BLOCK_TOKENS));
  for (let index = Math.floor(computed / BLOCK_TOKENS); index < full; index++) {
    kv.pool.publish(blocks[index]!, sequence.adapter ?? '', blockIds[index]!);
  }
  sequence.scheduled = tokens;
}

/** Puts the leading blocks of a sequence that the cache holds into `found`. The last known token is always computed anew, as it yields the next one. */
export function findPrefix(sequence: Sequence, pool: BlockPool, found: number[]): void {
  const { blockIds, adapter } = sequence;
  const limit = Math.min(blockIds.length, Math.floor((missingTokens(sequence) - 1) / BLOCK_TOKENS));
  found.length = 0;
  while (found.length < limit) {
    const block = pool.find(adapter ?? '', blockIds[found.length]!);
    if (block < 0) break;
    found.push(block);
  }
}

/** Starts from cached blocks. */
export function adoptPrefix(sequence: Sequence, prefix: readonly number[], kv: KvCache): void {
  for (const block of prefix) {
    kv.pool.retain(block);
    sequence.blocks.push(block);
  }
  kv.references += prefix.length;
  kv.contextTokens += prefix.length * BLOCK_TOKENS;
  sequence.adopted = prefix.length;
  sequence.computed = prefix.length * BLOCK_TOKENS;
}

/** What attention reads in a step, in tokens: a block read again for another sequence counts `sharedReadCost`. */
export function kvReadTokens({ pool, contextTokens, references }: KvCache, sharedReadCost: number): number {
  const repeated = references - (pool.size - pool.freeCount());
  return contextTokens - (1 - sharedReadCost) * repeated * BLOCK_TOKENS;
}

/** Gives all blocks back, last first so that the tail of a prefix is evicted before its head. */
export function releaseBlocks(sequence: Sequence, kv: KvCache): void {
  const { blocks } = sequence;
  kv.contextTokens -= sequence.computed + sequence.scheduled;
  kv.references -= blocks.length;
  for (let index = blocks.length - 1; index >= 0; index--) kv.pool.release(blocks[index]!);
  blocks.length = 0;
  sequence.computed = 0;
  sequence.scheduled = 0;
}
