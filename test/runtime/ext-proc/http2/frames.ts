import { FRAME, FRAME_HEADER_BYTES, type FrameType } from '../../../../runtime/ext-proc/http2/frame';
import { encodeHeaderBlock } from '../../../../runtime/ext-proc/http2/header-block';

export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** The bytes of one frame, whether it makes sense or not. */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(FRAME_HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(streamId, 5);
  return Buffer.concat([header, payload]);
}

export function number(type: FrameType, streamId: number, value: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(value);
  return frame(type, 0, streamId, payload);
}

export function settings(...entries: ReadonlyArray<readonly [id: number, value: number]>): Buffer {
  const payload = Buffer.alloc(entries.length * 6);
  entries.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  return frame(FRAME.SETTINGS, 0, 0, payload);
}

/** A gRPC request's header block. */
export const REQUEST = encodeHeaderBlock([
  [':method', 'POST'],
  [':scheme', 'http'],
  [':path', '/call'],
  ['content-type', 'application/grpc'],
]);

/** All frames of `bytes`, which end with one. */
export function parseFrames(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + FRAME_HEADER_BYTES + bytes.readUIntBE(at, 3);
    frames.push({
      type: bytes[at + 3]!,
      flags: bytes[at + 4]!,
      streamId: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + FRAME_HEADER_BYTES, end),
    });
    at = end;
  }
  return frames;
}
