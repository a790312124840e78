import type { BodyBudget } from './body-budget';
import type { ExtProcCounters } from './counters';
import { decodeRequest, type MessageKind, type ProcessingRequest } from './decode-request';
import { encodeAnswer } from './encode-answer';
import { FrameReader } from './frame-reader';
import { GRPC_STATUS, type GrpcStatus } from './grpc-status';
import { type Body, CONTINUE, type Processor, type ProcessorStream, type Reply } from './processor';

/** The connection's side of one stream. */
export interface StreamTransport {
  write(pieces: readonly Buffer[]): void;
  /** Ends the stream with a status; at most once, and nothing is written after it. */
  finish(status: GrpcStatus, message: string): void;
  /** Holds the peer back, and lets it go on. What is under way still comes: at most a window of it. */
  pause(): void;
  resume(): void;
}

/** What all streams of one server share. */
export interface StreamContext {
  readonly processor: Processor;
  readonly counters: ExtProcCounters;
  /** The largest message taken, in bytes. */
  readonly maxMessageBytes: number;
  readonly budget: BodyBudget | undefined;
  /** Namespaces of the dynamic metadata that the processor reads. */
  readonly metadataNamespaces?: ReadonlySet<string> | undefined;
  onHandlerError(error: unknown): void;
}

/** Smaller messages are not counted against the budget where a stream holds only one of them. */
const UNCOUNTED_BYTES = 16_384;

/** Bytes that may wait behind a message whose answer is awaited, before the peer is held back. */
const WAITING_BYTES = 262_144;

/**
 * One ext_proc stream: bytes in, answers out. Messages go to the processor in order, each after the answer to the one
 * before. Owns the processor's stream and closes it exactly once, at the first of: the peer's end, a lost connection,
 * an error.
 */
export class ProcessStream {
  private readonly frames = new FrameReader();
  private readonly handler: ProcessorStream;
  /** A message was delivered and its answer is awaited. */
  private busy = false;
  private paused = false;
  private peerEnded = false;
  /** Nothing more is wanted from the peer: an immediate answer was given, or the stream is finished. */
  private deaf = false;
  private finished = false;
  private closed = false;
  /** Response headers came; an immediate answer would now destroy a response. */
  private inResponse = false;
  private reserved = 0;
  /** Messages are kept whose answer comes with that to a later one. */
  private holding = false;

  /** Throws what `Processor.open` throws. */
  constructor(
    private readonly context: StreamContext,
    private readonly transport: StreamTransport,
  ) {
    this.handler = context.processor.open();
    context.counters.streams++;
    context.counters.openStreams++;
  }

  data(piece: Buffer): void {
    if (this.deaf) return;
    this.frames.push(piece);
    if (!this.busy) this.advance();
    else if (!this.paused && this.frames.buffered > WAITING_BYTES) {
      this.paused = true;
      this.transport.pause();
    }
  }

  /** The peer sends no more. */
  end(): void {
    this.peerEnded = true;
    if (!this.busy) this.advance();
    // An answer is awaited that Envoy no longer does: it ends a stream early only when the client is gone.
    else if (this.frames.buffered === 0) this.close();
  }

  /** The stream or its connection is gone, for whatever reason. Idempotent. */
  lost(): void {
    this.deaf = true;
    this.finished = true;
    this.frames.clear();
    this.close();
  }

  /** Delivers messages until one has to be waited for or the bytes run out. */
  private advance(): void {
    try {
      while (!this.busy && !this.deaf) {
        const event = this.frames.next();
        if (event === 'message') this.deliver();
        else if (event === 'header') this.admit(this.frames.declared);
        else if (event === 'compressed') this.malformed('compressed messages are not accepted');
        else break;
      }
    } catch (error) {
      this.handlerFailed(error);
    }
    if (this.busy) {
      if (this.peerEnded && this.frames.buffered === 0) this.close();
      return;
    }
    if (this.paused) {
      this.paused = false;
      this.transport.resume();
    }
    if (!this.peerEnded || this.finished) return;
    if (!this.deaf && (this.frames.buffered > 0 || this.frames.declared >= 0))
      this.malformed('the last message is cut off');
    else this.finish(GRPC_STATUS.OK, '');
  }

  /** Before a message is gathered: is there room for it? */
  private admit(bytes: number): void {
    const { budget, counters, maxMessageBytes, processor } = this.context;
    if (bytes > maxMessageBytes) {
      counters.tooLarge++;
      this.finish(
        GRPC_STATUS.RESOURCE_EXHAUSTED,
        `a message of ${bytes} bytes is above the limit of ${maxMessageBytes}`,
      );
      return;
    }
    if (budget === undefined || (bytes <= UNCOUNTED_BYTES && !this.holding) || this.inResponse) return;
    if (budget.reserve(bytes)) {
      this.reserved += bytes;
      return;
    }
    counters.budgetRefusals++;
    this.answer('requestBody', processor.overloaded(), false);
    // Its body is still to come, megabytes that nobody wants: this tells Envoy to keep them.
    this.finish(GRPC_STATUS.OK, '');
  }

  private deliver(): void {
    const message = decodeRequest(this.frames.take().chunks, this.context.metadataNamespaces);
    if (message === undefined) {
      this.malformed('a message is not a ProcessingRequest');
      return;
    }
    this.context.counters.messages[message.kind]++;
    const { kind } = message;
    const endOfStream = 'endOfStream' in message && message.endOfStream;
    const answer = this.handle(message);
    if (!isPromise(answer)) {
      this.answer(kind, answer, endOfStream);
      return;
    }
    this.busy = true;
    answer.then(
      (settled) => this.settle(kind, settled, endOfStream),
      (error: unknown) => this.handlerFailed(error),
    );
  }

  private handle(message: ProcessingRequest): Reply | Promise<Reply> {
    switch (message.kind) {
      case 'requestHeaders':
        return this.handler.requestHeaders(message.headers, message.endOfStream, message.peer);
      case 'requestBody':
        return this.handler.requestBody(message.body, message.endOfStream);
      case 'requestTrailers':
        return this.handler.requestTrailers?.() ?? CONTINUE;
      case 'responseHeaders':
        this.inResponse = true;
        return this.handler.responseHeaders(message.headers, message.attributes, message.metadata);
      case 'responseBody':
        return this.handler.responseBody(joined(message.body), message.endOfStream);
      case 'responseTrailers':
        return this.handler.responseTrailers?.() ?? CONTINUE;
      default:
        return CONTINUE;
    }
  }

  private settle(kind: MessageKind, answer: Reply, endOfStream: boolean): void {
    this.busy = false;
    if (this.finished) return;
    try {
      this.answer(kind, answer, endOfStream);
    } catch (error) {
      this.handlerFailed(error);
      return;
    }
    this.advance();
  }

  private answer(kind: MessageKind, answer: Reply, endOfStream: boolean): void {
    this.holding = answer.kind === 'held';
    if (this.holding) return;
    const pieces = encodeAnswer(kind, answer, endOfStream);
    if (pieces.length > 0) this.transport.write(pieces);
    this.releaseBudget();
    if (answer.kind !== 'immediate') return;
    // Envoy answers the client and is done with the stream; what is still under way to us is of no interest.
    this.deaf = true;
    this.frames.clear();
  }

  private handlerFailed(error: unknown): void {
    this.busy = false;
    if (this.finished) return;
    this.context.counters.handlerErrors++;
    this.context.onHandlerError(error);
    this.finish(GRPC_STATUS.INTERNAL, 'the processor failed');
  }

  private malformed(reason: string): void {
    this.context.counters.malformed++;
    this.finish(GRPC_STATUS.INVALID_ARGUMENT, reason);
  }

  private finish(status: GrpcStatus, message: string): void {
    this.deaf = true;
    this.finished = true;
    this.frames.clear();
    this.close();
    this.transport.finish(status, message);
  }

  private close(): void {
    if (this.closed) return;
    this.closed = true;
    this.releaseBudget();
    this.context.counters.openStreams--;
    try {
      this.handler.closed();
    } catch (error) {
      this.context.counters.handlerErrors++;
      this.context.onHandlerError(error);
    }
  }

  private releaseBudget(): void {
    if (this.reserved > 0) this.context.budget?.release(this.reserved);
    this.reserved = 0;
  }
}

/** A chunk of a response is as large as Envoy's read buffer; there is little to join. */
function joined(body: Body): Buffer {
  const [first] = body.chunks;
  return body.chunks.length === 1 && first !== undefined ? first : Buffer.concat(body.chunks, body.length);
}

function isPromise(answer: Reply | Promise<Reply>): answer is Promise<Reply> {
  return 'then' in answer;
}
