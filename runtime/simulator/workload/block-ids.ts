import { MAX_BLOCKS } from '../../body-router/prefix/block-hashes';
import { BLOCK_BYTES } from '../../body-router/prefix/block-mix';
import type { BlockHash } from '../../endpoint-picker/endpoint-picker';
import { TOKEN_BYTES } from '../engine/types';

/** Tokens of a block as the router hashes it. */
export const HASHED_BLOCK_TOKENS = BLOCK_BYTES / TOKEN_BYTES;

/** Hashes that the picker is given of a prompt. */
export function hashedBlocks(promptTokens: number): number {
  return Math.min(MAX_BLOCKS, Math.floor(promptTokens / HASHED_BLOCK_TOKENS));
}

/** Hands out ids of blocks that nothing else has; they stand for hashes. */
export interface BlockIds {
  /** `known` and then new ids up to `length` in all; `known` itself when it is that long. */
  extend(known: readonly BlockHash[], length: number): readonly BlockHash[];
}

/** `first`: the first id, a safe integer. */
export function createBlockIds(first: number): BlockIds {
  let next = first;
  return {
    extend(known, length) {
      if (known.length >= length) return known;
      const ids = new Array<BlockHash>(length);
      for (let index = 0; index < known.length; index++) ids[index] = known[index]!;
      for (let index = known.length; index < length; index++) ids[index] = next++;
      return ids;
    },
  };
}
