import { Decoder, Encoder } from '@msgpack/msgpack';
import { checkMsgpack } from '../../endpoint-picker/kv-events/check-msgpack';
import { ProtocolFault } from './protocol-fault';

/** Of a frame: its payload's length, big endian. */
const LENGTH_BYTES = 4;

/** The largest payload. A pick has at most 4 KiB of hashes, and names that are cut to length. */
export const MAX_PAYLOAD_BYTES = 1_048_576;

/** Its buffer is used again for each message. */
const encoder = new Encoder();
const decoder = new Decoder();

/** One message as it goes on the wire. Throws where it is larger than a peer takes. */
export function encodeFrame(message: readonly unknown[]): Buffer {
  const payload = encoder.encodeSharedRef(message);
  if (payload.length > MAX_PAYLOAD_BYTES) throw new ProtocolFault('the message is too large to be sent');
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + payload.length);
  frame.writeUInt32BE(payload.length, 0);
  frame.set(payload, LENGTH_BYTES);
  return frame;
}

/** Takes a stream of bytes apart into messages. Keeps at most one unfinished frame. */
export class FrameReader {
  private rest: Buffer[] = [];
  private restBytes = 0;

  /** `onMessage` is called for each message that has become whole. Throws `ProtocolFault` for what is none. */
  constructor(private readonly onMessage: (message: readonly unknown[]) => void) {}

  push(chunk: Buffer): void {
    this.rest.push(chunk);
    this.restBytes += chunk.length;
    if (this.restBytes < this.needed()) return;
    const bytes = this.rest.length === 1 ? chunk : Buffer.concat(this.rest);
    let at = 0;
    while (bytes.length - at >= LENGTH_BYTES) {
      const end = at + LENGTH_BYTES + payloadLength(bytes, at);
      if (end > bytes.length) break;
      this.onMessage(decode(bytes.subarray(at + LENGTH_BYTES, end)));
      at = end;
    }
    this.rest = at === bytes.length ? [] : [bytes.subarray(at)];
    this.restBytes = bytes.length - at;
  }

  /** Bytes before which nothing can be whole. */
  private needed(): number {
    const first = this.rest[0]!;
    return first.length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + payloadLength(first, 0);
  }
}

function payloadLength(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32BE(at);
  if (length > MAX_PAYLOAD_BYTES) throw new ProtocolFault(`a message of ${length} bytes is too large`);
  return length;
}

function decode(payload: Buffer): readonly unknown[] {
  let message: unknown;
  try {
    checkMsgpack(payload);
    message = decoder.decode(payload);
  } catch {
    throw new ProtocolFault('a message is not MessagePack');
  }
  if (!Array.isArray(message)) throw new ProtocolFault('a message is not an array');
  return message;
}
