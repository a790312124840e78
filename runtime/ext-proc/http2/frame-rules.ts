import { ERROR, type Fault } from './error-code';
import { FLAG, FRAME } from './frame';

/** The largest frame that the server takes, in bytes: HTTP/2's default. Envoy makes no use of more. */
const MAX_FRAME_BYTES = 16_384;

const PRIORITY_BYTES = 5;

/** What is wrong with a frame by its header alone (RFC 9113, 6), and the connection's error for it. */
export function frameFault(type: number, flags: number, streamId: number, length: number): Fault | undefined {
  if (length > MAX_FRAME_BYTES) return wrongSize('a frame is larger than 16,384 bytes');
  switch (type) {
    case FRAME.DATA:
      return streamId === 0 ? protocol('DATA on stream 0') : undefined;
    case FRAME.HEADERS:
    case FRAME.CONTINUATION:
      return streamId === 0 ? protocol('a header block on stream 0') : undefined;
    case FRAME.PRIORITY:
      if (streamId === 0) return protocol('PRIORITY on stream 0');
      return length === PRIORITY_BYTES ? undefined : wrongSize('PRIORITY of a wrong size');
    case FRAME.RST_STREAM:
      if (streamId === 0) return protocol('RST_STREAM on stream 0');
      return length === 4 ? undefined : wrongSize('RST_STREAM of a wrong size');
    case FRAME.SETTINGS:
      if (streamId !== 0) return protocol('SETTINGS on a stream');
      if (length % 6 === 0 && ((flags & FLAG.ACK) === 0 || length === 0)) return undefined;
      return wrongSize('SETTINGS of a wrong size');
    case FRAME.PUSH_PROMISE:
      return protocol('PUSH_PROMISE from a client');
    case FRAME.PING:
      if (streamId !== 0) return protocol('PING on a stream');
      return length === 8 ? undefined : wrongSize('PING of a wrong size');
    case FRAME.GOAWAY:
      if (streamId !== 0) return protocol('GOAWAY on a stream');
      return length >= 8 ? undefined : wrongSize('GOAWAY of a wrong size');
    case FRAME.WINDOW_UPDATE:
      return length === 4 ? undefined : wrongSize('WINDOW_UPDATE of a wrong size');
    default:
      return undefined;
  }
}

function protocol(reason: string): Fault {
  return { code: ERROR.PROTOCOL_ERROR, reason };
}

function wrongSize(reason: string): Fault {
  return { code: ERROR.FRAME_SIZE_ERROR, reason };
}
