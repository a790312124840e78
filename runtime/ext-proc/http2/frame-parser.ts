import { ERROR, type Fault } from './error-code';
import { FLAG, FRAME, FRAME_HEADER_BYTES } from './frame';
import { frameFault } from './frame-rules';

/** Told what a connection's bytes amount to. */
export interface FrameSink {
  /** Before a frame's payload. False: the frame must not come here, and nothing more is wanted. */
  frameBegins(type: number, streamId: number): boolean;
  /** A frame that a server has to read, other than DATA: its payload is `bytes` from `start` to `end`. */
  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void;
  /**
   * Some of a DATA frame, as a view of what was pushed; at least once for each frame. `credit` is what it takes of the
   * windows: the padding counts too.
   */
  data(streamId: number, piece: Buffer, credit: number): void;
  /** After the last piece of a DATA frame that ends its stream. */
  dataEnds(streamId: number): void;
  /** The bytes break the protocol; nothing more is read. */
  fault(fault: Fault): void;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

type Phase = 'preface' | 'header' | 'gather' | 'data' | 'skip';

/**
 * Takes the bytes of a client's connection apart into frames. Holds at most one frame that is not DATA; what nobody
 * reads (PRIORITY, GOAWAY, unknown types) is passed over. Never throws.
 */
export class FrameParser {
  private phase: Phase = 'preface';
  private stopped = false;
  private prefaceBytes = 0;
  private readonly header = Buffer.alloc(FRAME_HEADER_BYTES);
  private headerBytes = 0;
  private type = 0;
  private flags = 0;
  private streamId = 0;
  /** Payload bytes of the frame that are still to come. */
  private left = 0;
  private gathered: Buffer | undefined;
  /** Of a DATA frame: padding at its end; -1 while the octet that tells is still to come. */
  private padding = 0;

  constructor(private readonly sink: FrameSink) {}

  push(chunk: Buffer): void {
    if (this.stopped) return;
    let at = 0;
    if (this.phase === 'preface') {
      at = this.takePreface(chunk);
      if (this.prefaceBytes < PREFACE.length) return;
    }
    while (!this.stopped) {
      if (this.phase === 'header') {
        if (at === chunk.length) return;
        at = this.takeHeader(chunk, at);
      } else {
        if (this.left > 0 && at === chunk.length) return;
        at = this.takePayload(chunk, at);
      }
    }
  }

  /** Takes nothing more, also of the chunk at hand. */
  stop(): void {
    this.stopped = true;
    this.gathered = undefined;
  }

  private takePreface(chunk: Buffer): number {
    const take = Math.min(PREFACE.length - this.prefaceBytes, chunk.length);
    if (chunk.compare(PREFACE, this.prefaceBytes, this.prefaceBytes + take, 0, take) !== 0) {
      this.fail(ERROR.PROTOCOL_ERROR, 'the connection does not begin as HTTP/2');
      return 0;
    }
    this.prefaceBytes += take;
    if (this.prefaceBytes === PREFACE.length) this.phase = 'header';
    return take;
  }

  private takeHeader(chunk: Buffer, at: number): number {
    if (this.headerBytes === 0 && chunk.length - at >= FRAME_HEADER_BYTES) {
      this.begin(chunk, at);
      return at + FRAME_HEADER_BYTES;
    }
    const take = Math.min(FRAME_HEADER_BYTES - this.headerBytes, chunk.length - at);
    chunk.copy(this.header, this.headerBytes, at, at + take);
    this.headerBytes += take;
    if (this.headerBytes === FRAME_HEADER_BYTES) {
      this.headerBytes = 0;
      this.begin(this.header, 0);
    }
    return at + take;
  }

  private begin(bytes: Buffer, at: number): void {
    this.left = bytes.readUIntBE(at, 3);
    this.type = bytes[at + 3]!;
    this.flags = bytes[at + 4]!;
    this.streamId = bytes.readUInt32BE(at + 5) & 0x7fffffff;
    const fault = frameFault(this.type, this.flags, this.streamId, this.left);
    if (fault !== undefined) {
      this.fail(fault.code, fault.reason);
      return;
    }
    if (!this.sink.frameBegins(this.type, this.streamId)) {
      this.stop();
      return;
    }
    switch (this.type) {
      case FRAME.DATA:
        this.phase = 'data';
        this.padding = (this.flags & FLAG.PADDED) === 0 ? 0 : -1;
        return;
      case FRAME.HEADERS:
      case FRAME.RST_STREAM:
      case FRAME.SETTINGS:
      case FRAME.PING:
      case FRAME.WINDOW_UPDATE:
      case FRAME.CONTINUATION:
        this.phase = 'gather';
        return;
      default:
        this.phase = 'skip';
    }
  }

  private takePayload(chunk: Buffer, at: number): number {
    switch (this.phase) {
      case 'gather':
        return this.gather(chunk, at);
      case 'data':
        return this.takeData(chunk, at);
      default: {
        const take = Math.min(this.left, chunk.length - at);
        this.left -= take;
        if (this.left === 0) this.phase = 'header';
        return at + take;
      }
    }
  }

  private gather(chunk: Buffer, at: number): number {
    const { type, flags, streamId, left } = this;
    const take = Math.min(left, chunk.length - at);
    if (this.gathered === undefined && take === left) {
      this.phase = 'header';
      this.sink.frame(type, flags, streamId, chunk, at, at + take);
      return at + take;
    }
    this.gathered ??= Buffer.allocUnsafe(left);
    const whole = this.gathered;
    chunk.copy(whole, whole.length - left, at, at + take);
    this.left -= take;
    if (this.left === 0) {
      this.gathered = undefined;
      this.phase = 'header';
      this.sink.frame(type, flags, streamId, whole, 0, whole.length);
    }
    return at + take;
  }

  private takeData(chunk: Buffer, start: number): number {
    let at = start;
    let credit = 0;
    if (this.padding < 0) {
      if (this.left === 0) {
        this.fail(ERROR.FRAME_SIZE_ERROR, 'DATA without room for its padding');
        return at;
      }
      this.padding = chunk[at++]!;
      this.left--;
      credit = 1;
      if (this.padding > this.left) {
        this.fail(ERROR.PROTOCOL_ERROR, 'DATA of more padding than payload');
        return at;
      }
    }
    const take = Math.min(this.left, chunk.length - at);
    const body = Math.min(Math.max(0, this.left - this.padding), take);
    this.left -= take;
    const ends = this.left === 0;
    if (ends) this.phase = 'header';
    this.sink.data(this.streamId, chunk.subarray(at, at + body), credit + take);
    if (ends && !this.stopped && (this.flags & FLAG.END_STREAM) !== 0) this.sink.dataEnds(this.streamId);
    return at + take;
  }

  private fail(code: Fault['code'], reason: string): void {
    this.stop();
    this.sink.fault({ code, reason });
  }
}
