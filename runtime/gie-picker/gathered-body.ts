import { bodyOf, EMPTY_BODY } from '../body-router/body/span';
import type { Body } from '../ext-proc/processor';

/**
 * Smaller chunks are copied together: a body that is dribbled in single bytes must not cost an object for each. Blocks
 * begin at the size of the first chunk and double: a body that stops there must not cost a large one.
 */
const SMALL_BYTES = 4096;
const BLOCK_BYTES = 16_384;

/** A request body that comes in chunks and is kept until it is whole. Large chunks are kept as they are. */
export class GatheredBody {
  length = 0;
  private chunks: Buffer[] = [];
  private block: Buffer | undefined;
  private used = 0;
  private nextBlockBytes = 0;

  push(piece: Body): void {
    this.length += piece.length;
    for (const chunk of piece.chunks) {
      if (chunk.length >= SMALL_BYTES) {
        this.closeBlock();
        this.chunks.push(chunk);
      } else {
        const block = this.blockFor(chunk.length);
        this.used += chunk.copy(block, this.used);
      }
    }
  }

  /** A block with so many free bytes. */
  private blockFor(bytes: number): Buffer {
    if (this.block !== undefined && this.used + bytes > this.block.length) this.closeBlock();
    if (this.block === undefined) {
      const size = Math.max(bytes, this.nextBlockBytes);
      this.nextBlockBytes = Math.min(BLOCK_BYTES, 2 * size);
      this.block = Buffer.allocUnsafeSlow(size);
    }
    return this.block;
  }

  /** All of it; nothing is kept then. */
  take(): Body {
    if (this.length === 0) return EMPTY_BODY;
    this.closeBlock();
    const body = bodyOf(this.chunks);
    this.drop();
    return body;
  }

  drop(): void {
    this.chunks = [];
    this.block = undefined;
    this.used = 0;
    this.nextBlockBytes = 0;
  }

  private closeBlock(): void {
    if (this.block !== undefined && this.used > 0) this.chunks.push(this.block.subarray(0, this.used));
    this.block = undefined;
    this.used = 0;
  }
}
