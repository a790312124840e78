import { ERROR, type Fault } from './error-code';
import { FLAG } from './frame';

/** Bytes of a header block as it is sent. */
const MAX_BLOCK_BYTES = 65_536;

/** Frames after the first into which a peer may cut a header block; one of 64 KiB needs three. */
const MAX_CONTINUATIONS = 64;

const PRIORITY_BYTES = 5;

/** Puts the header blocks of a connection together from HEADERS and CONTINUATION. Holds at most `MAX_BLOCK_BYTES`. */
export class HeaderBlockReader {
  /** The stream whose block is not complete yet: only its CONTINUATION may come. 0: none. */
  openStreamId = 0;
  /** Whether the block taken last ends its stream. */
  endStream = false;

  private fragments: Buffer[] = [];
  private bytes = 0;

  /** The block when it is complete; `undefined` when more of it follows. */
  headers(flags: number, streamId: number, bytes: Buffer, start: number, end: number): Buffer | Fault | undefined {
    const padded = (flags & FLAG.PADDED) !== 0;
    const from = start + (padded ? 1 : 0) + ((flags & FLAG.PRIORITY) === 0 ? 0 : PRIORITY_BYTES);
    const to = end - (padded ? (bytes[start] ?? 0) : 0);
    if (from > end) return { code: ERROR.FRAME_SIZE_ERROR, reason: 'HEADERS are cut off' };
    if (from > to) return { code: ERROR.PROTOCOL_ERROR, reason: 'HEADERS of more padding than payload' };
    const block = bytes.subarray(from, to);
    this.endStream = (flags & FLAG.END_STREAM) !== 0;
    if ((flags & FLAG.END_HEADERS) !== 0) return block;
    this.openStreamId = streamId;
    this.fragments = [block];
    this.bytes = block.length;
    return undefined;
  }

  continuation(flags: number, bytes: Buffer, start: number, end: number): Buffer | Fault | undefined {
    this.bytes += end - start;
    if (this.bytes > MAX_BLOCK_BYTES || this.fragments.length > MAX_CONTINUATIONS) {
      return { code: ERROR.ENHANCE_YOUR_CALM, reason: 'a header block is too large' };
    }
    this.fragments.push(bytes.subarray(start, end));
    if ((flags & FLAG.END_HEADERS) === 0) return undefined;
    const block = Buffer.concat(this.fragments, this.bytes);
    this.openStreamId = 0;
    this.fragments = [];
    return block;
  }
}
