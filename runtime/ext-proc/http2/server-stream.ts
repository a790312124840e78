import { ERROR, type ErrorCode } from './error-code';
import { FRAME } from './frame';
import type { Output } from './output';
import { ReceiveWindow } from './receive-window';
import type { SendQueue } from './send-queue';
import type { Sender, SendingStream } from './sender';

/** Who takes what the peer sends on a stream. None of it may throw. */
export interface StreamReceiver {
  /** Bytes of the request's body, as a view of what was read. */
  data(piece: Buffer): void;
  /** The peer sends no more. */
  end(): void;
  /** The stream ended by a reset or with its connection; nothing follows. */
  lost(): void;
}

/** The connection of a stream. */
export interface StreamOwner {
  readonly output: Output;
  readonly sender: Sender;
  /** The stream is over. */
  closed(stream: ServerStream): void;
}

/** A long conversation comes without waiting for a window update. Bytes; told to the peer. */
export const STREAM_WINDOW_BYTES = 1 << 18;

/** Of a stream that has used that up: what large bodies have under way lies before every other stream's bytes. */
const STEADY_WINDOW_BYTES = 1 << 16;

/** Bytes that may wait to be sent on a stream before its peer is held back. */
const QUEUED_BYTES = 1 << 20;

/** One stream that a client opened. A stream that is over takes everything in silence. */
export class ServerStream implements SendingStream {
  sendWindow: number;
  queue: SendQueue | undefined;
  /** Nothing that comes is of interest until this is set. */
  receiver: StreamReceiver | undefined;

  private readonly window = new ReceiveWindow(STREAM_WINDOW_BYTES, STEADY_WINDOW_BYTES);
  private paused = false;
  private peerEnded = false;
  private over = false;
  /** Follow what is in the queue. */
  private trailers: Buffer | undefined;
  private bodyBytes = 0;

  /** `contentLength`: bytes of the body that the peer announced; -1: none. */
  constructor(
    private readonly connection: StreamOwner,
    readonly id: number,
    private readonly contentLength: number,
  ) {
    this.sendWindow = connection.sender.initialWindow;
  }

  /** The response's headers; first of all, and once. `block` is HPACK without the dynamic table. */
  respond(block: Buffer): void {
    if (!this.over) this.connection.output.headers(this.id, block, false);
  }

  write(pieces: readonly Buffer[]): void {
    if (!this.over) this.connection.sender.send(this, pieces);
  }

  /** Ends the stream with trailers, or with the headers of a response that has nothing else. A peer that still sends is told to stop. */
  end(trailers: Buffer): void {
    if (this.over) return;
    this.trailers = trailers;
    if (this.queue === undefined) this.drained();
  }

  /** Holds the peer back. What is under way still comes: up to `STREAM_WINDOW_BYTES`. */
  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.updateWindow();
  }

  /** For the sender. */
  drained(): void {
    if (this.trailers === undefined) {
      this.updateWindow();
      return;
    }
    this.connection.output.headers(this.id, this.trailers, true);
    if (!this.peerEnded) this.connection.output.number(FRAME.RST_STREAM, this.id, ERROR.NO_ERROR);
    this.close();
  }

  /** The peer's bytes; `credit` is what they take of the window. An error ends the stream. */
  data(piece: Buffer, credit: number): ErrorCode | undefined {
    if (this.peerEnded) return ERROR.STREAM_CLOSED;
    if (!this.window.take(credit)) return ERROR.FLOW_CONTROL_ERROR;
    this.bodyBytes += piece.length;
    if (piece.length > 0) this.receiver?.data(piece);
    this.updateWindow();
    return undefined;
  }

  /** The peer's END_STREAM. */
  ended(): ErrorCode | undefined {
    if (this.peerEnded) return ERROR.STREAM_CLOSED;
    if (this.contentLength >= 0 && this.contentLength !== this.bodyBytes) return ERROR.PROTOCOL_ERROR;
    this.peerEnded = true;
    this.receiver?.end();
    return undefined;
  }

  /** Ends the stream from the outside: by a reset of either side, or with its connection. */
  abort(): void {
    if (this.over) return;
    const { receiver } = this;
    this.close();
    receiver?.lost();
  }

  private updateWindow(): void {
    if (this.over || this.peerEnded || this.paused) return;
    if (this.queue !== undefined && this.queue.bytes > QUEUED_BYTES) return;
    const bytes = this.window.update();
    if (bytes > 0) this.connection.output.number(FRAME.WINDOW_UPDATE, this.id, bytes);
  }

  private close(): void {
    this.over = true;
    this.receiver = undefined;
    this.connection.sender.forget(this);
    this.connection.closed(this);
  }
}
