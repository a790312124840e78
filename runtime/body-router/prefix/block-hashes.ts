import type { BlockHash } from '../../endpoint-picker/endpoint-picker';
import type { Body } from '../../ext-proc/processor';
import { type Span, sliceBody } from '../body/span';
import { BLOCK_BYTES, BlockMix } from './block-mix';

/**
 * Blocks of one prompt that are hashed: 32,768 tokens. Conversations that are the same so far are nearly always one
 * conversation, and the bound keeps hashing, the message to the picker and its index small.
 */
export const MAX_BLOCKS = 512;

/**
 * Chained hashes of the whole blocks of a prompt, which is the bytes of `spans` in order, as they stand in the body: a
 * hash stands for its block and all before it. A prompt below one block has none. `salt` is what parts prefix caches:
 * the model that serves, and the request's cache salt.
 */
export function blockHashes(body: Body, spans: readonly Span[], salt: string): BlockHash[] {
  const hashes: BlockHash[] = [];
  const mix = new BlockMix(salt);
  let scratch: Buffer | undefined;
  let filled = 0;
  for (const span of spans) {
    for (const piece of sliceBody(body, firstBlocks(span)).chunks) {
      let at = 0;
      if (filled > 0) {
        at = piece.copy(scratch!, filled, 0, BLOCK_BYTES - filled);
        filled += at;
        if (filled < BLOCK_BYTES) continue;
        hashes.push(mix.block(viewOf(scratch!), 0));
        filled = 0;
      }
      const view = viewOf(piece);
      for (; at + BLOCK_BYTES <= piece.length && hashes.length < MAX_BLOCKS; at += BLOCK_BYTES) {
        hashes.push(mix.block(view, at));
      }
      if (hashes.length === MAX_BLOCKS) return hashes;
      scratch ??= Buffer.allocUnsafe(BLOCK_BYTES);
      filled = piece.copy(scratch, 0, at);
    }
  }
  return hashes;
}

function firstBlocks(span: Span): Span {
  return { start: span.start, end: Math.min(span.end, span.start + MAX_BLOCKS * BLOCK_BYTES) };
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
