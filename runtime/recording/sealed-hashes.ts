import { createCipheriv } from 'node:crypto';
import type { BlockHash } from '../endpoint-picker/endpoint-picker';

/** Bytes of a sealed hash: it need only part blocks that follow the same block, since a reader chains them again. */
const SEALED_BYTES = 4;
const CIPHER_BLOCK = 16;

/**
 * Block hashes under a secret key of 16 bytes, in base64. Who does not have the key cannot tell whether a guessed prompt
 * is in a recording; equal hashes stay equal under one key.
 */
export function createSeal(key: Buffer): (hashes: readonly BlockHash[]) => string {
  // Each hash is a cipher block of its own, so ECB is what is wanted here: a keyed permutation.
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  return (hashes) => {
    const plain = Buffer.alloc(hashes.length * CIPHER_BLOCK);
    for (const [index, hash] of hashes.entries()) plain.writeDoubleLE(hash, index * CIPHER_BLOCK);
    const sealed = cipher.update(plain);
    const out = Buffer.allocUnsafe(hashes.length * SEALED_BYTES);
    for (let index = 0; index < hashes.length; index++) {
      sealed.copy(out, index * SEALED_BYTES, index * CIPHER_BLOCK, index * CIPHER_BLOCK + SEALED_BYTES);
    }
    return out.toString('base64');
  };
}

/**
 * The blocks of a sealed prefix as ids below 2^51, each of its block and all before it: the same for two requests
 * exactly as far as their prompts were the same.
 */
export function openPrefix(sealed: string): number[] {
  const bytes = Buffer.from(sealed, 'base64');
  const ids: number[] = [];
  let a = 0x9e3779b9;
  let b = 0x7f4a7c15;
  for (let at = 0; at + SEALED_BYTES <= bytes.length; at += SEALED_BYTES) {
    const word = bytes.readInt32LE(at);
    a = spread(a ^ word);
    b = spread(b ^ a ^ Math.imul(word, 0x85ebca77));
    ids.push((a >>> 0) * 0x80000 + (b >>> 13));
  }
  return ids;
}

/** The finaliser of MurmurHash3. */
function spread(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
