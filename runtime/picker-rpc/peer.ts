import type { Socket } from 'node:net';
import { FrameReader } from './wire/frames';
import { ProtocolFault } from './wire/protocol-fault';

/** What may wait for a peer that does not read; beyond it the connection is cut. A snapshot has room in it. */
const MAX_WAITING_BYTES = 16 * 1_048_576;

/** What was sent before the end of a connection has so long to leave. Milliseconds. */
const END_TIMEOUT_MS = 1_000;

/** The reason of an end that the other side wished. */
export const CLOSED_BY_PEER = 'the other side closed the connection';

export interface PeerEvents {
  /** A whole message. What it throws ends the connection. */
  message(message: readonly unknown[]): void;
  /** The connection is gone, once. `reason`: in words, for a log. */
  closed(reason: string): void;
}

/**
 * What nobody waits for leaves with the next message that somebody does, or after so long: each write wakes the other
 * process, which costs more than the message. Milliseconds.
 */
const GATHER_MS = 5;

/** One side of a connection: whole messages in, and out in as few writes as the wait for them allows. */
export class Peer {
  private gathered: Buffer[] = [];
  private gatheredBytes = 0;
  private isFlushDue = false;
  private gathering: NodeJS.Timeout | undefined;
  private reason: string | undefined;
  private closed = false;

  /** `socket` is connected; it is the peer's from now on. */
  constructor(
    private readonly socket: Socket,
    private readonly events: PeerEvents,
  ) {
    const reader = new FrameReader((message) => {
      if (this.reason === undefined) this.events.message(message);
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      if (this.reason !== undefined) return;
      try {
        reader.push(chunk);
        // Somebody waits for most of what messages bring about.
        this.flush();
      } catch (error) {
        this.cut(
          error instanceof ProtocolFault ? error.message : `it could not be served: ${(error as Error).message}`,
        );
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.reason ??= error.code ?? error.message;
    });
    socket.on('close', () => {
      if (this.closed) return;
      this.closed = true;
      this.events.closed(this.reason ?? CLOSED_BY_PEER);
    });
    socket.on('end', () => socket.end());
  }

  /**
   * Sends a frame within `GATHER_MS`, or, where somebody waits for it, with those of the callback that is running. Nothing
   * happens once the connection is ending.
   */
  send(frame: Buffer, isAwaited = false): void {
    if (this.reason !== undefined) return;
    this.gathered.push(frame);
    this.gatheredBytes += frame.length;
    if (this.gatheredBytes + this.socket.writableLength > MAX_WAITING_BYTES) {
      this.cut('it does not read what it is sent');
    } else if (isAwaited && !this.isFlushDue) {
      this.isFlushDue = true;
      process.nextTick(() => this.flush());
    } else {
      this.gathering ??= setTimeout(() => this.flush(), GATHER_MS);
    }
  }

  private flush(): void {
    this.isFlushDue = false;
    clearTimeout(this.gathering);
    this.gathering = undefined;
    if (this.gathered.length === 0) return;
    const bytes = this.gathered.length === 1 ? this.gathered[0]! : Buffer.concat(this.gathered, this.gatheredBytes);
    this.gathered = [];
    this.gatheredBytes = 0;
    if (!this.closed) this.socket.write(bytes);
  }

  /** Ends the connection once what was sent has left. */
  end(reason: string): void {
    if (this.reason !== undefined) return;
    this.flush();
    this.reason = reason;
    this.socket.end();
    const cut = setTimeout(() => this.socket.destroy(), END_TIMEOUT_MS);
    this.socket.once('close', () => clearTimeout(cut));
  }

  /** Ends the connection now. */
  cut(reason: string): void {
    this.reason ??= reason;
    clearTimeout(this.gathering);
    this.gathered = [];
    this.gatheredBytes = 0;
    this.socket.destroy();
  }
}
