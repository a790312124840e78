const EMPTY = Buffer.alloc(0);

/** Bytes that wait for those after them, copied into one buffer: a stream may come in single bytes. */
export class HeldBytes {
  private buffer = EMPTY;
  private used = 0;

  get length(): number {
    return this.used;
  }

  push(piece: Buffer): void {
    const needed = this.used + piece.length;
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length));
      this.buffer.copy(larger, 0, 0, this.used);
      this.buffer = larger;
    }
    piece.copy(this.buffer, this.used);
    this.used = needed;
  }

  /** All of them, with `piece` after them; nothing is held then. Copies nothing where nothing was held. */
  takeWith(piece: Buffer): Buffer {
    if (this.used === 0) return piece;
    this.push(piece);
    const bytes = this.buffer.subarray(0, this.used);
    this.buffer = EMPTY;
    this.used = 0;
    return bytes;
  }
}
