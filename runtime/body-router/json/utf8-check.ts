import { isUtf8 } from 'node:buffer';
import type { JsonFault } from './json-fault';

/** Checks that bytes which arrive in pieces are UTF-8 as a whole; a code point may lie across pieces. */
export class Utf8Check {
  /** The bytes of a code point whose end has not arrived: 0 to 3. */
  private partial: Buffer = Buffer.alloc(0);
  private offset = 0;

  push(piece: Buffer): JsonFault | undefined {
    let rest = piece;
    const start = this.offset;
    this.offset += piece.length;
    if (this.partial.length > 0) {
      const missing = sequenceLength(this.partial[0]!) - this.partial.length;
      const joined = Buffer.concat([this.partial, piece.subarray(0, missing)]);
      if (piece.length < missing && unfinishedTail(joined) === joined.length) {
        this.partial = joined;
        return undefined;
      }
      if (!isUtf8(joined)) return fault(start - this.partial.length);
      this.partial = this.partial.subarray(0, 0);
      rest = piece.subarray(missing);
    }
    const tail = unfinishedTail(rest);
    const whole = tail === 0 ? rest : rest.subarray(0, rest.length - tail);
    if (!isUtf8(whole)) return fault(start + (piece.length - rest.length) + validPrefix(whole));
    if (tail > 0) this.partial = Buffer.from(rest.subarray(rest.length - tail));
    return undefined;
  }

  end(): JsonFault | undefined {
    return this.partial.length === 0 ? undefined : fault(this.offset - this.partial.length);
  }
}

function fault(offset: number): JsonFault {
  return { kind: 'utf8', offset, message: 'the text is not UTF-8' };
}

/** Bytes of the code point that begins with `lead`; 1 for a byte that begins none, which the native check refuses. */
function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

/** How many bytes at the end begin a code point that needs more bytes. */
function unfinishedTail(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/** Length of the longest valid prefix of bytes that are not valid as a whole. */
function validPrefix(bytes: Buffer): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1;
    const prefix = bytes.subarray(0, middle);
    if (isUtf8(prefix.subarray(0, middle - unfinishedTail(prefix)))) valid = middle;
    else invalid = middle;
  }
  return valid - unfinishedTail(bytes.subarray(0, valid));
}
