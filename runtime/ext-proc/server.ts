import {
  constants,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { Server } from 'node:net';
import type { BodyBudget } from './body-budget';
import { type ExtProcCounters, newCounters } from './counters';
import { GRPC_STATUS, type GrpcStatus } from './grpc-status';
import { type ListenAddress, listen } from './listen';
import { ProcessStream, type StreamContext, type StreamTransport } from './process-stream';
import type { Processor } from './processor';

export interface ExtProcServerOptions {
  readonly processor: Processor;
  readonly listen: ListenAddress;
  /** The largest message taken, in bytes; a body of this size less some slack for its envelope. */
  readonly maxMessageBytes: number;
  /** Bounds the bytes of bodies that lie here at once; a request beyond it is answered by `Processor.overloaded`. */
  readonly budget?: BodyBudget;
  /** Told of whatever the processor throws. The stream has then ended with INTERNAL. */
  onHandlerError(error: unknown): void;
}

export interface ExtProcServer {
  readonly address: ListenAddress;
  readonly counters: Readonly<ExtProcCounters>;
  /**
   * Stops taking streams (GOAWAY, health NOT_SERVING), lets the open ones end for at most `drainMs`, then cuts them.
   * Idempotent.
   */
  close(drainMs: number): Promise<void>;
}

const PROCESS_PATH = '/envoy.service.ext_proc.v3.ExternalProcessor/Process';
const HEALTH_PATH = '/grpc.health.v1.Health/Check';

/**
 * Envoy ends each stream with RST_STREAM, thousands a second. Node takes that for a "rapid reset" attack (burst 1000,
 * then 33/s) and closes the connection, with all streams in flight. The peer is our own Envoy, so the limit is lifted.
 */
const RESET_LIMIT = 1e9;

/** Room for a body in flight without waiting for a window update at every 64 KiB. */
const STREAM_WINDOW_BYTES = 1 << 20;
const CONNECTION_WINDOW_BYTES = 1 << 26;
const MAX_STREAMS = 65_536;

/** Megabytes that nghttp2 may hold for a connection; the budget bounds bodies, and refusing streams would fail open. */
const SESSION_MEMORY_MB = 1024;

const RESPONSE_HEADERS = [':status', '200', 'content-type', 'application/grpc'] as const;

/** HealthCheckResponse: status = 1, SERVING = 1 or NOT_SERVING = 2, as a gRPC frame. */
const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const NOT_SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 2]);

/**
 * Serves Envoy's ext_proc (envoy.service.ext_proc.v3) and gRPC health checks over plain-text HTTP/2. Rejects when the
 * address cannot be had.
 */
export async function startExtProcServer(options: ExtProcServerOptions): Promise<ExtProcServer> {
  const counters = newCounters();
  const context: StreamContext = {
    processor: options.processor,
    counters,
    maxMessageBytes: options.maxMessageBytes,
    budget: options.budget,
    onHandlerError: (error) => options.onHandlerError(error),
  };
  const sessions = new Set<ServerHttp2Session>();
  let closing: Promise<void> | undefined;

  const server = createServer({
    streamResetBurst: RESET_LIMIT,
    streamResetRate: RESET_LIMIT,
    maxSessionMemory: SESSION_MEMORY_MB,
    settings: {
      initialWindowSize: STREAM_WINDOW_BYTES,
      maxConcurrentStreams: MAX_STREAMS,
      enablePush: false,
    },
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
    session.on('close', () => sessions.delete(session));
    // A broken connection shows as `close` of each of its streams.
    session.on('error', () => {});
    if (closing !== undefined) session.close();
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    switch (headers[':path']) {
      case PROCESS_PATH:
        serveProcess(stream, context);
        return;
      case HEALTH_PATH:
        serveHealth(stream, () => (closing === undefined ? SERVING : NOT_SERVING));
        return;
      default:
        refuse(stream, headers);
    }
  });
  const address = await listen(server, options.listen);
  // After the start nothing of the listening socket's can stop the server.
  server.on('error', () => {});
  return {
    address,
    counters,
    close(drainMs) {
      closing ??= drain(server, sessions, drainMs);
      return closing;
    },
  };
}

function serveProcess(stream: ServerHttp2Stream, context: StreamContext): void {
  const transport = new Http2Transport(stream);
  let process: ProcessStream;
  try {
    process = new ProcessStream(context, transport);
  } catch (error) {
    context.counters.handlerErrors++;
    context.onHandlerError(error);
    stream.resume();
    transport.finish(GRPC_STATUS.INTERNAL, 'the processor failed');
    return;
  }
  stream.on('aborted', () => treatResetAsEnd(stream));
  stream.on('data', (piece: Buffer) => process.data(piece));
  stream.on('end', () => process.end());
  stream.on('close', () => process.lost());
}

/**
 * Envoy resets with INTERNAL_ERROR when all is well. Node would make an Error with its stack of each, a fifth of what a
 * request costs here; of a cancelled stream it makes none.
 */
function treatResetAsEnd(stream: ServerHttp2Stream): void {
  Object.defineProperty(stream, 'rstCode', { value: constants.NGHTTP2_CANCEL });
}

/** Every service name gets the same answer, so that the request's bytes do not matter. */
function serveHealth(stream: ServerHttp2Stream, answer: () => Buffer): void {
  const transport = new Http2Transport(stream);
  stream.resume();
  stream.on('end', () => {
    transport.write([answer()]);
    transport.finish(GRPC_STATUS.OK, '');
  });
}

function refuse(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  stream.resume();
  if (headers['content-type']?.startsWith('application/grpc')) {
    new Http2Transport(stream).finish(GRPC_STATUS.UNIMPLEMENTED, 'no such method');
  } else {
    stream.respond({ ':status': 415 }, { endStream: true });
  }
}

/** gRPC's answer on one HTTP/2 stream. A stream that is gone takes everything in silence: `close` tells its owner. */
class Http2Transport implements StreamTransport {
  private status: GrpcStatus = GRPC_STATUS.OK;
  private message = '';

  constructor(private readonly stream: ServerHttp2Stream) {
    stream.respond(RESPONSE_HEADERS, { waitForTrailers: true });
    stream.on('wantTrailers', () => this.sendTrailers());
  }

  write(pieces: readonly Buffer[]): void {
    if (this.stream.destroyed || this.stream.closed) return;
    if (pieces.length === 1) {
      this.stream.write(pieces[0]);
      return;
    }
    this.stream.cork();
    for (const piece of pieces) this.stream.write(piece);
    this.stream.uncork();
  }

  finish(status: GrpcStatus, message: string): void {
    if (this.stream.destroyed || this.stream.closed) return;
    this.status = status;
    this.message = message;
    this.stream.end();
  }

  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  private sendTrailers(): void {
    if (this.stream.destroyed || this.stream.closed) return;
    this.stream.sendTrailers({ 'grpc-status': String(this.status), 'grpc-message': this.message });
    // A peer that goes on sending is told to stop, else its stream would stay open; but not before the trailers are out.
    if (this.status !== GRPC_STATUS.OK) setImmediate(() => this.stream.close(constants.NGHTTP2_NO_ERROR));
  }
}

async function drain(server: Http2Server, sessions: ReadonlySet<ServerHttp2Session>, drainMs: number): Promise<void> {
  // Only the listening: the close of an HTTP/2 server would refuse what its connections already carry.
  const closed = new Promise<void>((resolve) => Server.prototype.close.call(server, () => resolve()));
  for (const session of sessions) closeGracefully(session);
  const cut = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, drainMs);
  await closed;
  clearTimeout(cut);
}

/**
 * Announces the end first and refuses streams only after a round trip, so that those already on their way are served
 * (RFC 9113, 6.8).
 */
function closeGracefully(session: ServerHttp2Session): void {
  if (session.destroyed) return;
  session.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
  if (!session.ping(() => session.close())) session.close();
}
