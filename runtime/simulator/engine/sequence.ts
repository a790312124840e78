import type { BlockPool } from './block-pool';
import { BLOCK_TOKENS, type EngineRequest } from './types';

/** A request inside the engine. */
export interface Sequence {
  readonly request: EngineRequest;
  /** When it leaves the front end for the queue. */
  readonly readyAt: number;
  /** The request's output tokens, cut to what the context length allows. */
  readonly outputTokens: number;
  /** Tokens whose KV exists (found in the cache or computed). */
  computed: number;
  generated: number;
  /** Tokens of this sequence in the step under way. */
  scheduled: number;
  /** Its KV blocks, in token order. */
  readonly blocks: number[];
  /** Prompt tokens found in the prefix cache at first admission; undefined before it. */
  cachedTokens: number | undefined;
}

/** A sequence that is just accepted. */
export function createSequence(request: EngineRequest, readyAt: number, maxModelLen: number): Sequence {
  return {
    request,
    readyAt,
    outputTokens: Math.min(request.outputTokens, maxModelLen - request.promptTokens),
    computed: 0,
    generated: 0,
    scheduled: 0,
    blocks: [],
    cachedTokens: undefined,
  };
}

/** Tokens known but without KV: 1 while decoding, more during (re)computation of the prompt. */
export function missingTokens(sequence: Sequence): number {
  return sequence.request.promptTokens + sequence.generated - sequence.computed;
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
export function growSequence(sequence: Sequence, tokens: number, pool: BlockPool): void {
  for (let missing = blocksToGrow(sequence, tokens); missing > 0; missing--) sequence.blocks.push(pool.allocate());
  const { blocks: ids, adapter } = sequence.request;
  const full = Math.min(ids.length, Math.floor((sequence.computed + tokens) / BLOCK_TOKENS));
  for (let index = Math.floor(sequence.computed / BLOCK_TOKENS); index < full; index++) {
    pool.publish(sequence.blocks[index]!, adapter ?? '', ids[index]!);
  }
  sequence.scheduled = tokens;
}

/** The leading blocks of a sequence that the cache holds. The last known token is always computed anew, as it yields the next one. */
export function findPrefix(sequence: Sequence, pool: BlockPool): number[] {
  const { blocks: ids, adapter } = sequence.request;
  const limit = Math.min(ids.length, Math.floor((missingTokens(sequence) - 1) / BLOCK_TOKENS));
  const found: number[] = [];
  while (found.length < limit) {
    const block = pool.find(adapter ?? '', ids[found.length]!);
    if (block < 0) break;
    found.push(block);
  }
  return found;
}

/** Starts from cached blocks. */
export function adoptPrefix(sequence: Sequence, prefix: readonly number[], pool: BlockPool): void {
  for (const block of prefix) {
    pool.retain(block);
    sequence.blocks.push(block);
  }
  sequence.computed = prefix.length * BLOCK_TOKENS;
}

/** Gives all blocks back, last first so that the tail of a prefix is evicted before its head. */
export function releaseBlocks(sequence: Sequence, pool: BlockPool): void {
  for (let block = sequence.blocks.pop(); block !== undefined; block = sequence.blocks.pop()) pool.release(block);
  sequence.computed = 0;
  sequence.scheduled = 0;
}
