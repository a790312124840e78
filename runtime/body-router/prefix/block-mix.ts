/** Bytes of a prompt block: 64 tokens of 4 bytes. */
export const BLOCK_BYTES = 256;

/**
 * The chained hash of prompt blocks: four multiplicative lanes of 32 bits, two for the even words and two for the odd,
 * each step a bijection of its lane, joined at the end of each block. Not a cryptographic hash: a collision costs a pick that is
 * less good, never a wrong answer. In place of xxHash64 in WebAssembly, which takes 1.6 to 2 times as long: it needs the
 * bytes copied into its memory and a BigInt for each hash.
 */
export class BlockMix {
  private a: number;
  private b: number;

  /** `salt`: blocks of different salts never match. */
  constructor(salt: string) {
    let a = 0x9e3779b9 ^ salt.length;
    let b = 0x7f4a7c15;
    for (let i = 0; i < salt.length; i++) {
      const unit = salt.charCodeAt(i);
      a = Math.imul(a ^ unit, 0x85ebca6b);
      a = (a << 13) | (a >>> 19);
      b = Math.imul(b ^ unit, 0xc2b2ae35);
      b = (b << 15) | (b >>> 17);
    }
    this.a = a;
    this.b = b;
  }

  /** Takes the block at `from` and returns the hash of all blocks so far: an integer below 2^53. */
  block(view: DataView, from: number): number {
    let { a, b } = this;
    let c = ~a;
    let d = ~b;
    for (let at = from; at < from + BLOCK_BYTES; at += 8) {
      const even = view.getInt32(at, true);
      const odd = view.getInt32(at + 4, true);
      a = Math.imul(a ^ even, 0x85ebca6b);
      b = Math.imul(b ^ even, 0xc2b2ae35);
      c = Math.imul(c ^ odd, 0x27d4eb2f);
      d = Math.imul(d ^ odd, 0x165667b1);
      a = (a << 13) | (a >>> 19);
      b = (b << 15) | (b >>> 17);
      c = (c << 11) | (c >>> 21);
      d = (d << 17) | (d >>> 15);
    }
    this.a = finish(finish(a ^ Math.imul(b, 0x9e3779b1)) ^ c);
    this.b = finish(finish(b ^ Math.imul(a, 0x85ebca77)) ^ d);
    return (this.a >>> 0) * 0x200000 + (this.b >>> 11);
  }
}

/** Spreads every bit over the word (the finaliser of MurmurHash3). */
function finish(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
