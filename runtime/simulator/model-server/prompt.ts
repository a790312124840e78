import { BLOCK_TOKENS, TOKEN_BYTES } from '../engine/types';

const BLOCK_BYTES = BLOCK_TOKENS * TOKEN_BYTES;

/** What the engine needs to know of a prompt. */
export interface Prompt {
  /** Rounded up, at least 1. */
  readonly tokens: number;
  /** Chained ids of the whole 64-byte blocks: equal ids mean equal text up to there. */
  readonly blocks: Float64Array;
  /** Of the whole text, 0 .. 2^53-1: seeds the answer. */
  readonly seed: number;
  /** Token ids of a whole block, as `/tokenize` tells them. */
  blockTokenIds(block: number): number[];
}

/** The prompt made of a text. */
export function promptOfText(text: string): Prompt {
  const bytes = Buffer.from(text, 'utf8');
  return {
    ...promptOfBytes(bytes),
    blockTokenIds: (block) => tokenIds(bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)),
  };
}

// A token id is up to four bytes as digits 1..256 in base 257, so that the id alone gives its bytes back.
const BASE = 257;

/** The ids of the tokens that a text in UTF-8 has; they fit 32 bits. */
export function tokenIds(bytes: Buffer): number[] {
  const ids: number[] = [];
  for (let start = 0; start < bytes.length; start += TOKEN_BYTES) {
    ids.push(bytes.subarray(start, start + TOKEN_BYTES).reduceRight((id, byte) => id * BASE + byte + 1, 0));
  }
  return ids;
}

/** The bytes that a token id of ours stands for. */
export function tokenBytes(id: number): number[] {
  const bytes: number[] = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / BASE)) bytes.push((rest % BASE) - 1);
  return bytes;
}

/** The prompt made of token ids as a client sends them: each counts as one token. */
export function promptOfTokens(tokens: readonly number[]): Prompt {
  return {
    ...promptOfBytes(Buffer.from(Uint32Array.from(tokens).buffer)),
    blockTokenIds: (block) => tokens.slice(block * BLOCK_TOKENS, (block + 1) * BLOCK_TOKENS),
  };
}

function promptOfBytes(bytes: Buffer): Omit<Prompt, 'blockTokenIds'> {
  const blocks = new Float64Array(Math.floor(bytes.length / BLOCK_BYTES));
  const chain = new HashChain();
  for (let block = 0; block < blocks.length; block++) {
    const start = block * BLOCK_BYTES;
    for (let offset = start; offset < start + BLOCK_BYTES; offset += 4) chain.add(bytes.readUInt32LE(offset));
    blocks[block] = chain.value();
  }
  for (let offset = blocks.length * BLOCK_BYTES; offset < bytes.length; offset++) chain.add(bytes[offset]!);
  chain.add(bytes.length);
  return { tokens: Math.max(1, Math.ceil(bytes.length / TOKEN_BYTES)), blocks, seed: chain.value() };
}

/** Two 32-bit lanes mixed word by word; 53 bits of them make an id, a safe integer. Not for use against an adversary. */
class HashChain {
  private first = 0x9e3779b9;
  private second = 0x85ebca6b;

  add(word: number): void {
    this.first = Math.imul(this.first ^ word, 0x85ebca6b);
    this.first ^= this.first >>> 15;
    this.second = Math.imul(this.second ^ (word + 0x7f4a7c15), 0xc2b2ae35);
    this.second ^= this.second >>> 13;
  }

  value(): number {
    return (this.first & 0x1fffff) * 0x100000000 + ((this.second ^ (this.first >>> 7)) >>> 0);
  }
}
