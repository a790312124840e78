import type { Duplex } from 'node:stream';
import type { ErrorCode } from './error-code';
import { FLAG, FRAME, FRAME_HEADER_BYTES, type FrameType, writeFrameHeader } from './frame';

/** Frames are written side by side into blocks of this size. */
const BLOCK_BYTES = 16_384;
/** Larger pieces are passed on as they are. */
const COPY_BYTES = 4096;
/** Bytes after which what was gathered goes to the socket, though the turn is not over. */
const BATCH_BYTES = 262_144;
/**
 * Bytes that may wait for the socket. DATA is held back long before; what is left are answers to a peer that asks and
 * does not read.
 */
const MAX_WAITING_BYTES = 2 ** 22;

/** HPACK: the encoder's dynamic table has no room from now on. */
const EMPTY_TABLE = Buffer.from([0x20]);
const DEFAULT_TABLE_BYTES = 4096;
const NO_BYTES = Buffer.alloc(0);

/** Encodes frames and gathers those of one turn of the event loop into one write. */
export class Output {
  private block = Buffer.allocUnsafe(BLOCK_BYTES);
  /** Of the block: what is before `from` is written, what is before `used` is gathered. */
  private from = 0;
  private used = 0;
  /** What was gathered before the open part of the block. */
  private pieces: Buffer[] = [];
  private piecesBytes = 0;
  private held = false;
  private scheduled = false;
  /** The peer must be told that the table got smaller, though it is not used. */
  private emptyTableDue = false;

  /** `onOverflow`: the peer does not read; more than can be kept is waiting for it. */
  constructor(
    private readonly socket: Duplex,
    private readonly onOverflow: () => void,
  ) {}

  /** Begins a turn: `release` will flush. */
  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    this.flush();
  }

  /** Whether DATA may be added: the socket takes it. */
  ready(): boolean {
    if (this.piecesBytes >= BATCH_BYTES) this.flush();
    return !this.socket.writableNeedDrain;
  }

  /** The peer's decoder keeps a dynamic table of `bytes` at most. */
  limitHeaderTable(bytes: number): void {
    if (bytes < DEFAULT_TABLE_BYTES) this.emptyTableDue = true;
  }

  /** `block`: HPACK without the dynamic table, no larger than any peer takes. */
  headers(streamId: number, block: Buffer, endStream: boolean): void {
    const flags = endStream ? FLAG.END_HEADERS | FLAG.END_STREAM : FLAG.END_HEADERS;
    const prefix = this.emptyTableDue ? EMPTY_TABLE : NO_BYTES;
    this.emptyTableDue = false;
    this.begin(FRAME.HEADERS, flags, streamId, prefix.length + block.length);
    this.append(prefix);
    this.append(block);
  }

  /** A frame's header; `append` its payload. */
  begin(type: FrameType, flags: number, streamId: number, length: number): void {
    this.reserve(FRAME_HEADER_BYTES);
    writeFrameHeader(this.block, this.used, length, type, flags, streamId);
    this.used += FRAME_HEADER_BYTES;
    if (!this.held && !this.scheduled) this.schedule();
  }

  append(bytes: Buffer): void {
    if (bytes.length > COPY_BYTES) {
      this.closeBlock();
      this.pieces.push(bytes);
      this.piecesBytes += bytes.length;
      return;
    }
    this.reserve(bytes.length);
    this.used += bytes.copy(this.block, this.used);
  }

  settingsAck(): void {
    this.begin(FRAME.SETTINGS, FLAG.ACK, 0, 0);
  }

  /** `payload`: 8 bytes. */
  ping(flags: number, payload: Buffer): void {
    this.begin(FRAME.PING, flags, 0, payload.length);
    this.append(payload);
  }

  goAway(lastStreamId: number, code: ErrorCode, reason: string): void {
    const payload = Buffer.alloc(8 + reason.length);
    payload.writeUInt32BE(lastStreamId, 0);
    payload.writeUInt32BE(code, 4);
    payload.write(reason, 8, 'latin1');
    this.begin(FRAME.GOAWAY, 0, 0, payload.length);
    this.append(payload);
  }

  /** A frame whose payload is one number of 32 bits: RST_STREAM, WINDOW_UPDATE. */
  number(type: FrameType, streamId: number, value: number): void {
    this.begin(type, 0, streamId, 4);
    this.reserve(4);
    this.used = this.block.writeUInt32BE(value, this.used);
  }

  flush(): void {
    const { socket } = this;
    if (!socket.writable) {
      this.drop();
    } else if (this.pieces.length > 0) {
      this.closeBlock();
      const { pieces } = this;
      this.pieces = [];
      this.piecesBytes = 0;
      socket.cork();
      for (const piece of pieces) socket.write(piece);
      socket.uncork();
    } else if (this.used > this.from) {
      const bytes = this.block.subarray(this.from, this.used);
      this.from = this.used;
      socket.write(bytes);
    } else {
      return;
    }
    // All of it is with the kernel, and the block is free.
    if (socket.writableLength === 0) {
      this.from = 0;
      this.used = 0;
    } else if (socket.writableLength > MAX_WAITING_BYTES) {
      this.onOverflow();
    }
  }

  private drop(): void {
    this.pieces = [];
    this.piecesBytes = 0;
    this.from = this.used;
  }

  private schedule(): void {
    this.scheduled = true;
    process.nextTick(flushScheduled, this);
  }

  /** For `flushScheduled`. */
  flushLate(): void {
    this.scheduled = false;
    this.flush();
  }

  private reserve(bytes: number): void {
    if (this.block.length - this.used >= bytes) return;
    this.closeBlock();
    this.block = Buffer.allocUnsafe(BLOCK_BYTES);
    this.from = 0;
    this.used = 0;
  }

  private closeBlock(): void {
    if (this.used === this.from) return;
    this.pieces.push(this.block.subarray(this.from, this.used));
    this.piecesBytes += this.used - this.from;
    this.from = this.used;
  }
}

function flushScheduled(output: Output): void {
  output.flushLate();
}
