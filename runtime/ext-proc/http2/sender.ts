import { FRAME } from './frame';
import type { Output } from './output';
import { MAX_WINDOW, SAFE_FRAME_BYTES } from './peer-settings';
import { SendQueue } from './send-queue';

/** A stream as its sender sees it. */
export interface SendingStream {
  readonly id: number;
  /** Bytes that the peer takes on this stream; below 0 after it made its windows smaller. */
  sendWindow: number;
  /** What could not be sent yet. */
  queue: SendQueue | undefined;
  /** All of the queue was sent. */
  drained(): void;
}

/** What a client takes before it says otherwise (RFC 9113, 6.9.2). */
const DEFAULT_WINDOW = 65_535;

/** Bytes that may wait on all streams of a connection. Above what bodies under way amount to; a peer that asks for more is cut. */
const MAX_QUEUED_BYTES = 2 ** 30;

/** Sends DATA as far as the windows and the socket allow, and the rest in turns, one frame of each stream after another. */
export class Sender {
  /** For streams to come. */
  initialWindow = DEFAULT_WINDOW;

  private window = DEFAULT_WINDOW;
  private queuedBytes = 0;
  /** Streams that have something to send and a window for it. */
  private readonly waiting = new Set<SendingStream>();

  /** `onOverflow`: the peer asks for more than it takes. */
  constructor(
    private readonly output: Output,
    private readonly onOverflow: () => void,
  ) {}

  send(stream: SendingStream, pieces: readonly Buffer[]): void {
    let length = 0;
    for (const piece of pieces) length += piece.length;
    if (length === 0) return;
    const room = Math.min(this.window, stream.sendWindow, SAFE_FRAME_BYTES);
    if (length <= room && stream.queue === undefined && this.output.ready()) {
      this.begin(stream, length);
      for (const piece of pieces) this.output.append(piece);
      return;
    }
    stream.queue ??= new SendQueue();
    for (const piece of pieces) stream.queue.push(piece);
    this.queuedBytes += length;
    if (this.queuedBytes > MAX_QUEUED_BYTES) {
      this.onOverflow();
      return;
    }
    if (stream.sendWindow > 0) this.waiting.add(stream);
    this.pump();
  }

  /** Sends of what waits as much as goes out now. */
  pump(): void {
    let sent = true;
    while (sent && this.waiting.size > 0) {
      sent = false;
      for (const stream of this.waiting) {
        if (this.window <= 0 || !this.output.ready()) return;
        this.sendFrame(stream);
        sent = true;
      }
    }
  }

  /** False where the window would be larger than HTTP/2 has it. */
  widen(bytes: number): boolean {
    this.window += bytes;
    return this.window <= MAX_WINDOW;
  }

  /** As `widen`, for one stream. Negative where the peer made its windows smaller. `pump` follows. */
  widenStream(stream: SendingStream, bytes: number): boolean {
    stream.sendWindow += bytes;
    if (stream.queue !== undefined && stream.sendWindow > 0) this.waiting.add(stream);
    return stream.sendWindow <= MAX_WINDOW;
  }

  /** What the peer takes on each stream changes, for those that are open too. As `widen`; `pump` follows. */
  changeWindows(initial: number, open: Iterable<SendingStream>): boolean {
    const change = initial - this.initialWindow;
    this.initialWindow = initial;
    if (change === 0) return true;
    let fits = true;
    for (const stream of open) fits = this.widenStream(stream, change) && fits;
    return fits;
  }

  /** The stream is gone. */
  forget(stream: SendingStream): void {
    if (stream.queue === undefined) return;
    this.queuedBytes -= stream.queue.bytes;
    stream.queue = undefined;
    this.waiting.delete(stream);
  }

  private sendFrame(stream: SendingStream): void {
    const { queue } = stream;
    if (queue === undefined || stream.sendWindow <= 0) {
      this.waiting.delete(stream);
      return;
    }
    const length = Math.min(queue.bytes, this.window, stream.sendWindow, SAFE_FRAME_BYTES);
    this.begin(stream, length);
    queue.take(length, this.output);
    this.queuedBytes -= length;
    if (queue.bytes > 0) return;
    this.waiting.delete(stream);
    stream.queue = undefined;
    stream.drained();
  }

  private begin(stream: SendingStream, length: number): void {
    this.window -= length;
    stream.sendWindow -= length;
    this.output.begin(FRAME.DATA, 0, stream.id, length);
  }
}
