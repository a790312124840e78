const NO_BYTES = Buffer.alloc(0);

/** Bodies of up to this size are handed out as one buffer, though they arrived in several. */
const JOIN_BYTES = 32_768;

/**
 * Reads protobuf's wire format from a message that lies in several pieces. Nothing throws: what does not fit sets
 * `failed`, after which `more()` is false and every read gives zero or nothing.
 */
export class WireReader {
  failed = false;

  private piece: Buffer;
  private position = 0;
  private nextPiece = 1;
  /** Offset in the message at which the current piece begins. */
  private base = 0;
  private end = 0;

  constructor(private readonly pieces: readonly Buffer[]) {
    this.piece = pieces[0] ?? NO_BYTES;
    for (const piece of pieces) this.end += piece.length;
  }

  /** Whether the message entered last has another field. */
  more(): boolean {
    return this.base + this.position < this.end;
  }

  /** Goes into a nested message; the value is for `leave`. */
  enter(): number {
    const length = this.length();
    const outer = this.end;
    if (!this.failed) this.end = this.base + this.position + length;
    return outer;
  }

  /** Leaves the nested message, all of which has been read. */
  leave(outer: number): void {
    if (!this.failed) this.end = outer;
  }

  /** At most 2^64 - 1; above 2^53 not exact, which only concerns values that nobody reads. */
  varint(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    let value = first - 0x80;
    let factor = 0x80;
    for (let count = 1; count < 10; count++) {
      const next = this.byte();
      value += (next & 0x7f) * factor;
      if (next < 0x80) return value;
      factor *= 0x80;
    }
    this.fail();
    return 0;
  }

  double(): number {
    const bytes = this.joined(8);
    return bytes.length === 8 ? bytes.readDoubleLE(0) : 0;
  }

  text(): string {
    const length = this.length();
    const start = this.position;
    if (start + length <= this.piece.length) {
      this.position = start + length;
      return this.piece.toString('utf8', start, start + length);
    }
    return this.joined(length).toString('utf8');
  }

  /** A `bytes` field as views of the pieces. */
  bytes(): Buffer[] {
    const length = this.length();
    if (this.position + length > this.piece.length && length <= JOIN_BYTES) return [this.joined(length)];
    return this.views(length);
  }

  skip(wireType: number): void {
    switch (wireType) {
      case 0:
        this.varint();
        return;
      case 1:
        this.advance(8);
        return;
      case 2:
        this.advance(this.length());
        return;
      case 5:
        this.advance(4);
        return;
      default:
        this.fail();
    }
  }

  /** A length that fits in what is left; else 0 and `failed`. */
  private length(): number {
    const length = this.varint();
    if (length <= this.end - this.base - this.position) return length;
    this.fail();
    return 0;
  }

  private byte(): number {
    if (!this.more()) {
      this.fail();
      return 0;
    }
    while (this.position === this.piece.length) this.toNextPiece();
    return this.piece[this.position++]!;
  }

  private advance(length: number): void {
    if (length > this.end - this.base - this.position) {
      this.fail();
      return;
    }
    let left = length;
    while (left > this.piece.length - this.position) {
      left -= this.piece.length - this.position;
      this.toNextPiece();
    }
    this.position += left;
  }

  private joined(length: number): Buffer {
    if (length > this.end - this.base - this.position) {
      this.fail();
      return NO_BYTES;
    }
    const views = this.views(length);
    return views.length === 1 ? views[0]! : Buffer.concat(views, length);
  }

  private views(length: number): Buffer[] {
    const views: Buffer[] = [];
    let left = length;
    while (left > 0) {
      while (this.position === this.piece.length) this.toNextPiece();
      const take = Math.min(left, this.piece.length - this.position);
      views.push(this.piece.subarray(this.position, this.position + take));
      this.position += take;
      left -= take;
    }
    return views;
  }

  private toNextPiece(): void {
    this.base += this.piece.length;
    this.position = 0;
    this.piece = this.pieces[this.nextPiece++] ?? NO_BYTES;
  }

  private fail(): void {
    this.failed = true;
    this.end = 0;
  }
}
