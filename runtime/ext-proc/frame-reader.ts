import type { Body } from './processor';

/**
 * What the bytes at hand amount to. `header`: the next message's size is known (`declared`). `message`: all of it is
 * here (`take`). `compressed`: its flag byte is not 0, and nothing after it can be read.
 */
export type FrameEvent = 'need-more' | 'header' | 'message' | 'compressed';

/** Flag byte and big-endian length, before every gRPC message. */
const HEADER_BYTES = 5;

/** Smaller pieces than this are gathered into blocks, so that a peer that dribbles bytes costs no object for each. */
const SMALL_PIECE_BYTES = 512;
const BLOCK_BYTES = 16_384;

/**
 * Takes the bytes of one gRPC stream apart into messages, without copying: a message is views of the pieces in which
 * it arrived. Holds at most what was pushed and not yet taken; the caller bounds that by `declared` and `buffered`.
 */
export class FrameReader {
  /** Bytes of the message whose header was read; -1 before that. */
  declared = -1;
  /** Bytes pushed and not yet taken. */
  buffered = 0;

  private pieces: Buffer[] = [];
  /** Bytes of the first piece that are taken already. */
  private offset = 0;
  private block: Buffer | undefined;
  private blockUsed = 0;

  push(piece: Buffer): void {
    this.buffered += piece.length;
    if (this.pieces.length === 0 || piece.length >= SMALL_PIECE_BYTES) {
      if (piece.length > 0) this.pieces.push(piece);
      this.block = undefined;
    } else {
      this.gather(piece);
    }
  }

  next(): FrameEvent {
    if (this.declared >= 0) return this.buffered >= this.declared ? 'message' : 'need-more';
    if (this.buffered < HEADER_BYTES) return 'need-more';
    if (this.takeByte() !== 0) return 'compressed';
    this.declared = this.takeByte() * 2 ** 24 + this.takeByte() * 65_536 + this.takeByte() * 256 + this.takeByte();
    return 'header';
  }

  /** The message announced by `next`. */
  take(): Body {
    const length = this.declared;
    this.declared = -1;
    return { length, chunks: this.takePieces(length) };
  }

  /** Forgets everything; for a stream whose further bytes are of no interest. */
  clear(): void {
    this.pieces = [];
    this.offset = 0;
    this.block = undefined;
    this.buffered = 0;
    this.declared = -1;
  }

  private takeByte(): number {
    const first = this.pieces[0]!;
    const byte = first[this.offset]!;
    this.consume(first, 1);
    return byte;
  }

  private takePieces(length: number): Buffer[] {
    const taken: Buffer[] = [];
    let count = 0;
    let left = length;
    // Whole pieces are removed in one splice: shifting thousands one by one would be quadratic.
    while (left > 0) {
      const piece = this.pieces[count]!;
      const start = count === 0 ? this.offset : 0;
      if (piece.length - start > left) {
        taken.push(piece.subarray(start, start + left));
        if (count > 0) this.pieces.splice(0, count);
        this.offset = start + left;
        this.buffered -= length;
        return taken;
      }
      taken.push(start === 0 ? piece : piece.subarray(start));
      left -= piece.length - start;
      count++;
    }
    if (count > 0) {
      if (count === this.pieces.length) this.pieces.length = 0;
      else this.pieces.splice(0, count);
      this.offset = 0;
    }
    this.buffered -= length;
    return taken;
  }

  private consume(first: Buffer, bytes: number): void {
    this.buffered -= bytes;
    this.offset += bytes;
    if (this.offset === first.length) {
      this.pieces.shift();
      this.offset = 0;
    }
  }

  /** Appends to the last piece where that is a block of ours with room; views taken of it end before the room. */
  private gather(piece: Buffer): void {
    if (this.block === undefined || this.blockUsed + piece.length > this.block.length) {
      this.block = Buffer.allocUnsafe(BLOCK_BYTES);
      this.blockUsed = piece.copy(this.block);
      this.pieces.push(this.block.subarray(0, this.blockUsed));
      return;
    }
    const last = this.pieces[this.pieces.length - 1]!;
    this.blockUsed += piece.copy(this.block, this.blockUsed);
    this.pieces[this.pieces.length - 1] = this.block.subarray(
      this.blockUsed - piece.length - last.length,
      this.blockUsed,
    );
  }
}
