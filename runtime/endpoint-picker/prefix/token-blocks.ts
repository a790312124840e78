import type { BlockHash } from '../endpoint-picker';

/**
 * The hash that chains of token blocks begin with. Blocks of different roots never match: it parts base models,
 * adapters, block sizes. `adapter`: absent for the base model.
 */
export function rootHash(baseModel: string, adapter: string | undefined, blockTokens: number): BlockHash {
  const salt = `${blockTokens}\n${baseModel}\n${adapter ?? ''}`;
  let a = 0x9e3779b9 ^ salt.length;
  let b = 0x7f4a7c15;
  for (let i = 0; i < salt.length; i++) {
    const unit = salt.charCodeAt(i);
    a = rotate(Math.imul(a ^ unit, 0x85ebca6b), 13);
    b = rotate(Math.imul(b ^ unit, 0xc2b2ae35), 15);
  }
  return join(a, b);
}

/**
 * The hash of the block `tokens[from]` to `tokens[from + blockTokens - 1]` behind all blocks of `parent`. It needs
 * nothing of the blocks before but their hash. Not a cryptographic hash: a collision costs a pick that is less good,
 * never a wrong answer.
 */
export function blockHash(parent: BlockHash, tokens: Uint32Array, from: number, blockTokens: number): BlockHash {
  let a = Math.floor(parent / 0x200000) | 0;
  let b = (parent & 0x1fffff) ^ 0x7f4a7c15;
  for (let at = from; at < from + blockTokens; at++) {
    const token = tokens[at]!;
    a = rotate(Math.imul(a ^ token, 0x85ebca6b), 13);
    b = rotate(Math.imul(b ^ token, 0xc2b2ae35), 15);
  }
  return join(a, b);
}

/** Chained hashes of the whole blocks of a prompt, at most `maxBlocks`. */
export function blockHashes(root: BlockHash, tokens: Uint32Array, blockTokens: number, maxBlocks: number): BlockHash[] {
  const hashes: BlockHash[] = [];
  let hash = root;
  for (let from = 0; from + blockTokens <= tokens.length && hashes.length < maxBlocks; from += blockTokens) {
    hash = blockHash(hash, tokens, from, blockTokens);
    hashes.push(hash);
  }
  return hashes;
}

function join(a: number, b: number): BlockHash {
  const high = finish(a ^ Math.imul(b, 0x9e3779b1));
  const low = finish(b ^ Math.imul(high, 0x85ebca77));
  return (high >>> 0) * 0x200000 + (low >>> 11);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Spreads every bit over the word (the finaliser of MurmurHash3). */
function finish(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
