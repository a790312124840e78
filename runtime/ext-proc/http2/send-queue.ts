/** Bytes that wait for a window or for the socket; taken in pieces of any size without a copy. */
export class SendQueue {
  bytes = 0;
  private pieces: Buffer[] = [];
  private next = 0;
  /** Bytes of the next piece that are taken already. */
  private offset = 0;

  push(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
  }

  /** Hands `length` bytes, of those that there are, to `take`. */
  take(length: number, sink: { append(bytes: Buffer): void }): void {
    this.bytes -= length;
    let left = length;
    while (left > 0) {
      const piece = this.pieces[this.next]!;
      const end = Math.min(piece.length, this.offset + left);
      sink.append(this.offset === 0 && end === piece.length ? piece : piece.subarray(this.offset, end));
      left -= end - this.offset;
      this.offset = end;
      if (end === piece.length) this.toNextPiece();
    }
  }

  private toNextPiece(): void {
    this.offset = 0;
    this.next++;
    if (this.next < 1024 && this.next < this.pieces.length) return;
    this.pieces.splice(0, this.next);
    this.next = 0;
  }
}
