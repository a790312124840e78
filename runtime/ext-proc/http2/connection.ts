import type { Duplex } from 'node:stream';
import { readDirectly } from './direct-read';
import { ERROR, type ErrorCode, type Fault } from './error-code';
import { FLAG, FRAME } from './frame';
import { FrameParser, type FrameSink } from './frame-parser';
import { CONNECTION_WINDOW_BYTES, GREETING, MAX_STREAMS } from './greeting';
import { HeadReader } from './head-reader';
import { HeaderBlockReader } from './header-block-reader';
import { Output } from './output';
import { readPeerSettings } from './peer-settings';
import { ReceiveWindow } from './receive-window';
import type { RequestHead } from './request-head';
import { Sender } from './sender';
import { ServerStream, type StreamOwner, type StreamReceiver } from './server-stream';

/** Called for each request. Must not throw. */
export type AcceptStream = (stream: ServerStream, head: RequestHead) => StreamReceiver;

const MAX_STREAM_ID = 2 ** 31 - 1;

const DRAIN_PING = Buffer.from('draining');

/**
 * The server's side of one HTTP/2 connection (RFC 9113) with prior knowledge. Bounded in all that it holds for its peer:
 * one frame or header block, a window of DATA for each stream, and what waits for the peer to read, beyond which the
 * connection is cut. Nothing that a peer sends makes it throw.
 */
export class Http2Connection implements StreamOwner, FrameSink {
  readonly output: Output;
  readonly sender: Sender;

  private readonly parser = new FrameParser(this);
  private readonly blocks = new HeaderBlockReader();
  private readonly heads = new HeadReader();
  private readonly streams = new Map<number, ServerStream>();
  private readonly window = new ReceiveWindow(CONNECTION_WINDOW_BYTES);
  private lastStreamId = 0;
  /** The stream that was over and still got something: the peer is told once. */
  private lastStrayId = 0;
  private greeted = false;
  /** The peer knows of the last stream that is served. */
  private refusing = false;
  private over = false;

  /** `socket` is new; the connection takes it over. */
  constructor(
    private readonly socket: Duplex,
    private readonly accept: AcceptStream,
  ) {
    const onOverflow = () => this.fault({ code: ERROR.ENHANCE_YOUR_CALM, reason: 'answers are not read' });
    this.output = new Output(socket, onOverflow);
    this.sender = new Sender(this.output, onOverflow);
    readDirectly(socket, (chunk) => this.receive(chunk));
    socket.on('drain', () => this.resumeSending());
    socket.on('close', () => this.end());
    // Whatever it is, `close` follows.
    socket.on('error', () => {});
    socket.write(GREETING);
  }

  /**
   * Announces the end first and refuses streams only after a round trip, so that those already on their way are served
   * (RFC 9113, 6.8). The connection ends with its last stream.
   */
  drain(): void {
    if (this.over) return;
    if (!this.greeted) {
      this.socket.destroy();
      return;
    }
    this.output.goAway(MAX_STREAM_ID, ERROR.NO_ERROR, '');
    this.output.ping(0, DRAIN_PING);
  }

  /** Cuts the connection and all that is on it. */
  destroy(): void {
    this.end();
    this.socket.destroy();
  }

  closed(stream: ServerStream): void {
    this.streams.delete(stream.id);
    if (this.refusing && this.streams.size === 0 && !this.over) this.finish();
  }

  frameBegins(type: number, streamId: number): boolean {
    const { openStreamId } = this.blocks;
    if ((type === FRAME.CONTINUATION) !== (openStreamId !== 0) || (openStreamId !== 0 && streamId !== openStreamId)) {
      return this.protocolError('CONTINUATION is missing or out of place');
    }
    if (this.greeted) return true;
    this.greeted = type === FRAME.SETTINGS;
    return this.greeted || this.protocolError('the first frame is not SETTINGS');
  }

  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    switch (type) {
      case FRAME.HEADERS:
        this.block(streamId, this.blocks.headers(flags, streamId, bytes, start, end));
        return;
      case FRAME.CONTINUATION:
        this.block(streamId, this.blocks.continuation(flags, bytes, start, end));
        return;
      case FRAME.RST_STREAM:
        if (this.isIdle(streamId)) this.protocolError('RST_STREAM on a stream that was never opened');
        else this.streams.get(streamId)?.abort();
        return;
      case FRAME.SETTINGS:
        if ((flags & FLAG.ACK) === 0) this.settings(bytes, start, end);
        return;
      case FRAME.PING:
        this.ping(flags, bytes.subarray(start, end));
        return;
      case FRAME.WINDOW_UPDATE:
        this.windowUpdate(streamId, bytes.readUInt32BE(start) & MAX_STREAM_ID);
        return;
      default:
    }
  }

  data(streamId: number, piece: Buffer, credit: number): void {
    // Given back at once, whatever the stream does with it: one that is held back must not hold back the others.
    this.window.take(credit);
    const update = this.window.update();
    if (update > 0) this.output.number(FRAME.WINDOW_UPDATE, 0, update);
    const stream = this.streams.get(streamId);
    if (stream === undefined) {
      this.stray(streamId);
      return;
    }
    this.check(stream, stream.data(piece, credit));
  }

  dataEnds(streamId: number): void {
    const stream = this.streams.get(streamId);
    if (stream !== undefined) this.check(stream, stream.ended());
  }

  /** Tells the peer, ends all streams, and the connection when that is sent. */
  fault({ code, reason }: Fault): void {
    if (this.over) return;
    this.output.goAway(this.lastStreamId, code, reason);
    // A peer that does not read would keep the socket for good.
    if (this.output.ready()) this.finish();
    else this.destroy();
  }

  private receive(chunk: Buffer): void {
    if (this.over) return;
    this.output.hold();
    this.parser.push(chunk);
    this.output.release();
  }

  private resumeSending(): void {
    this.sender.pump();
    this.output.flush();
  }

  private block(streamId: number, block: Buffer | Fault | undefined): void {
    if (block === undefined) return;
    if (!Buffer.isBuffer(block)) this.fault(block);
    else if (this.streams.has(streamId)) this.trailers(this.streams.get(streamId)!, block);
    else this.open(streamId, block);
  }

  private open(streamId: number, block: Buffer): void {
    const head = this.known(this.heads.request(block));
    if (head === undefined) return;
    if (streamId % 2 === 0 || (streamId <= this.lastStreamId && head.method !== '')) {
      this.protocolError('a request on a stream that is not new');
      return;
    }
    if (streamId <= this.lastStreamId) {
      this.stray(streamId);
      return;
    }
    if (this.refusing || this.streams.size >= MAX_STREAMS) {
      this.reset(streamId, ERROR.REFUSED_STREAM);
      return;
    }
    this.lastStreamId = streamId;
    if (!head.complete || head.tooLarge) {
      this.reset(streamId, head.tooLarge ? ERROR.ENHANCE_YOUR_CALM : ERROR.PROTOCOL_ERROR);
      return;
    }
    const { endStream } = this.blocks;
    const stream = new ServerStream(this, streamId, head.contentLength);
    this.streams.set(streamId, stream);
    const receiver = this.accept(stream, head);
    // Unless it was ended at once.
    if (!this.streams.has(streamId)) return;
    stream.receiver = receiver;
    if (endStream) this.check(stream, stream.ended());
  }

  private trailers(stream: ServerStream, block: Buffer): void {
    const { endStream } = this.blocks;
    const trailers = this.known(this.heads.trailers(block));
    if (trailers === undefined) return;
    this.check(stream, endStream && !trailers.malformed ? stream.ended() : ERROR.PROTOCOL_ERROR);
  }

  private known(head: RequestHead | undefined): RequestHead | undefined {
    if (head === undefined) this.fault({ code: ERROR.COMPRESSION_ERROR, reason: 'a header block is malformed' });
    return head;
  }

  private settings(bytes: Buffer, start: number, end: number): void {
    const settings = readPeerSettings(bytes, start, end);
    if ('code' in settings) {
      this.fault(settings);
      return;
    }
    const { headerTableBytes, initialWindow } = settings;
    if (headerTableBytes !== undefined) this.output.limitHeaderTable(headerTableBytes);
    if (initialWindow !== undefined && !this.sender.changeWindows(initialWindow, this.streams.values())) {
      this.fault({ code: ERROR.FLOW_CONTROL_ERROR, reason: 'the window of a stream is too large' });
      return;
    }
    this.output.settingsAck();
    this.sender.pump();
  }

  private ping(flags: number, payload: Buffer): void {
    if ((flags & FLAG.ACK) === 0) {
      this.output.ping(FLAG.ACK, payload);
    } else if (payload.equals(DRAIN_PING) && !this.refusing) {
      this.refusing = true;
      this.output.goAway(this.lastStreamId, ERROR.NO_ERROR, '');
      if (this.streams.size === 0) this.finish();
    }
  }

  private windowUpdate(streamId: number, bytes: number): void {
    const stream = this.streams.get(streamId);
    if (streamId === 0) {
      if (bytes === 0) this.protocolError('WINDOW_UPDATE of nothing');
      else if (this.sender.widen(bytes)) this.sender.pump();
      else this.fault({ code: ERROR.FLOW_CONTROL_ERROR, reason: 'the window of the connection is too large' });
    } else if (stream === undefined) {
      if (this.isIdle(streamId)) this.protocolError('WINDOW_UPDATE on a stream that was never opened');
    } else if (bytes === 0) {
      this.check(stream, ERROR.PROTOCOL_ERROR);
    } else if (this.sender.widenStream(stream, bytes)) {
      this.sender.pump();
    } else {
      this.check(stream, ERROR.FLOW_CONTROL_ERROR);
    }
  }

  /** DATA or HEADERS of a stream that is not there. */
  private stray(streamId: number): void {
    if (this.isIdle(streamId)) this.protocolError('DATA on a stream that was never opened');
    else if (streamId !== this.lastStrayId) {
      this.lastStrayId = streamId;
      this.reset(streamId, ERROR.STREAM_CLOSED);
    }
  }

  private isIdle(streamId: number): boolean {
    // What comes after the last GOAWAY is refused without being counted.
    return streamId % 2 === 0 || (streamId > this.lastStreamId && !this.refusing);
  }

  /** Ends the stream where there is an error. */
  private check(stream: ServerStream, error: ErrorCode | undefined): void {
    if (error === undefined) return;
    this.reset(stream.id, error);
    stream.abort();
  }

  private reset(streamId: number, code: ErrorCode): void {
    this.output.number(FRAME.RST_STREAM, streamId, code);
  }

  private protocolError(reason: string): false {
    this.fault({ code: ERROR.PROTOCOL_ERROR, reason });
    return false;
  }

  /** Sends what there is, then ends. */
  private finish(): void {
    this.output.flush();
    this.end();
    this.socket.end(() => this.socket.destroy());
  }

  private end(): void {
    if (this.over) return;
    this.over = true;
    this.parser.stop();
    for (const stream of [...this.streams.values()]) stream.abort();
  }
}
