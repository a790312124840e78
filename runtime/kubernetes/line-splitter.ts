const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines, whatever the pieces it comes in. Holds at most one line. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private length = 0;

  /** Bytes; a longer line throws a RangeError, after which the splitter is of no more use. */
  constructor(private readonly maxLineBytes: number) {}

  /** The lines that this piece completes, without empty ones. */
  push(piece: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      this.keep(piece.subarray(from, end));
      if (this.length > 0) lines.push(Buffer.concat(this.parts, this.length).toString('utf8'));
      this.parts = [];
      this.length = 0;
      from = end + 1;
    }
    this.keep(piece.subarray(from));
    return lines;
  }

  /** Bytes of a line that has begun and not ended. */
  get pending(): number {
    return this.length;
  }

  private keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.length += bytes.length;
    if (this.length > this.maxLineBytes) throw new RangeError(`a line is longer than ${this.maxLineBytes} bytes`);
    this.parts.push(bytes);
  }
}
