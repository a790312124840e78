import type { PickRequest } from '../endpoint-picker';

const BYTES_PER_TOKEN = 4;

/** Prompt blocks are not larger than this; a prompt with more bytes than its blocks hold is hashed only in part. */
export const MAX_BLOCK_TOKENS = 64;

/** `max_tokens` is a ceiling that few answers reach, so more than this is never expected. */
const EXPECTED_OUTPUT_TOKENS = 256;

/** Prompt tokens in one hashed block; 0 where nothing was hashed. */
export function blockTokens(request: PickRequest): number {
  const blocks = request.prefixHashes.length;
  return blocks === 0 ? 0 : Math.min(MAX_BLOCK_TOKENS, request.promptBytes / BYTES_PER_TOKEN / blocks);
}

export function promptTokens(request: PickRequest): number {
  return request.promptBytes / BYTES_PER_TOKEN;
}

/** Prompt tokens that an endpoint holding the first `matchedBlocks` still has to compute. */
export function uncachedTokens(request: PickRequest, matchedBlocks: number): number {
  return Math.max(0, promptTokens(request) - matchedBlocks * blockTokens(request));
}

export function expectedOutputTokens(request: PickRequest): number {
  return Math.min(request.maxOutputTokens ?? EXPECTED_OUTPUT_TOKENS, EXPECTED_OUTPUT_TOKENS);
}
