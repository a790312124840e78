/** Room for the usual answer; it grows for a larger one. */
const INITIAL_BYTES = 4096;

/**
 * Writes protobuf's wire format from the last field to the first, so that a nested message's length is known when it is
 * written. Wire offsets count from the end of the message. One writer is used for all messages, one at a time.
 */
export class WireWriter {
  private buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  private position = INITIAL_BYTES;
  private tail = 0;

  /** Begins a message; `tail` bytes that the caller sends itself follow what is written. */
  begin(tail: number): void {
    this.position = this.buffer.length;
    this.tail = tail;
  }

  /** What was written, as a buffer of its own. */
  finish(): Buffer {
    const written = Buffer.allocUnsafe(this.buffer.length - this.position);
    this.buffer.copy(written, 0, this.position);
    return written;
  }

  /** Bytes of the message so far; the value is for `close`. */
  size(): number {
    return this.buffer.length - this.position + this.tail;
  }

  /** Makes a length-delimited field of all that was written since `size` was `from`. */
  close(tag: number, from: number): void {
    this.varint(this.size() - from);
    this.byte(tag);
  }

  /** A `string` field, or a `bytes` field with the text in UTF-8. */
  text(tag: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.reserve(length);
    this.position -= length;
    this.buffer.write(value, this.position, length, 'utf8');
    this.varint(length);
    this.byte(tag);
  }

  /** A `bool` or enum field, or an integer; `value` is below 2^31. */
  number(tag: number, value: number): void {
    this.varint(value);
    this.byte(tag);
  }

  /** gRPC's prefix: not compressed, and the length of the message. */
  frame(): void {
    const length = this.size();
    this.reserve(5);
    this.position -= 5;
    this.buffer[this.position] = 0;
    this.buffer.writeUInt32BE(length, this.position + 1);
  }

  private byte(value: number): void {
    this.reserve(1);
    this.buffer[--this.position] = value;
  }

  private varint(value: number): void {
    let length = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length++;
    this.reserve(length);
    this.position -= length;
    let at = this.position;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.buffer[at++] = (rest % 0x80) + 0x80;
    this.buffer[at] = rest;
  }

  private reserve(bytes: number): void {
    if (bytes <= this.position) return;
    const written = this.buffer.length - this.position;
    const grown = Buffer.allocUnsafe(2 * (this.buffer.length + bytes));
    this.buffer.copy(grown, grown.length - written, this.position);
    this.position = grown.length - written;
    this.buffer = grown;
  }
}
