import { GRPC_STATUS, type GrpcStatus } from './grpc-status';
import { encodeHeaderBlock } from './http2/header-block';
import type { ServerStream } from './http2/server-stream';
import type { StreamTransport } from './process-stream';

const RESPONSE_HEADERS = encodeHeaderBlock([
  [':status', '200'],
  ['content-type', 'application/grpc'],
]);

const OK_TRAILERS = encodeHeaderBlock([['grpc-status', String(GRPC_STATUS.OK)]]);

/** gRPC's answer on one HTTP/2 stream. Its headers go with the first message. */
export class GrpcTransport implements StreamTransport {
  private responded = false;

  constructor(private readonly stream: ServerStream) {}

  /** Sends the headers now, unless they are sent. */
  respond(): void {
    if (this.responded) return;
    this.responded = true;
    this.stream.respond(RESPONSE_HEADERS);
  }

  write(pieces: readonly Buffer[]): void {
    this.respond();
    this.stream.write(pieces);
  }

  /** `message`: printable ASCII without `%`. */
  finish(status: GrpcStatus, message: string): void {
    this.respond();
    this.stream.end(status === GRPC_STATUS.OK ? OK_TRAILERS : errorTrailers(status, message));
  }

  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }
}

function errorTrailers(status: GrpcStatus, message: string): Buffer {
  return encodeHeaderBlock([
    ['grpc-status', String(status)],
    ['grpc-message', message],
  ]);
}
