import type { PickRequest } from '../endpoint-picker';
import type { ScoredRequest } from './scorer';

const BYTES_PER_TOKEN = 4;

/** Prompt blocks are not larger than this; a prompt with more bytes than its blocks hold is hashed only in part. */
export const MAX_BLOCK_TOKENS = 64;

/** `max_tokens` is a ceiling that few answers reach, so more than this is never expected. */
const EXPECTED_OUTPUT_TOKENS = 256;

/** A request in tokens, as far as they can be told from its bytes. */
export function sizeOf({ adapter, maxOutputTokens, prefixHashes, promptBytes }: PickRequest): ScoredRequest {
  const promptTokens = promptBytes / BYTES_PER_TOKEN;
  const blocks = prefixHashes.length;
  return {
    adapter,
    promptTokens,
    outputTokens: Math.min(maxOutputTokens ?? EXPECTED_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS),
    blocks,
    blockTokens: blocks === 0 ? 0 : Math.min(MAX_BLOCK_TOKENS, promptTokens / blocks),
  };
}

/** Prompt tokens that an endpoint holding the first `matchedBlocks` still has to compute. */
export function uncachedTokens({ promptTokens, blocks, blockTokens }: ScoredRequest, matchedBlocks: number): number {
  return Math.max(0, promptTokens - Math.min(matchedBlocks, blocks) * blockTokens);
}
