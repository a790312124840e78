import { FRAME, FRAME_HEADER_BYTES, writeFrameHeader } from './frame';
import { MAX_HEADER_LIST_BYTES } from './request-head';
import { STREAM_WINDOW_BYTES } from './server-stream';

/** Streams that a client may have open at once. */
export const MAX_STREAMS = 65_536;

/** Bytes in flight on all streams: bodies of many requests at once. */
export const CONNECTION_WINDOW_BYTES = 1 << 26;

/** The connection's window before anything is said about it. */
const DEFAULT_WINDOW_BYTES = 65_535;

const ENTRY_BYTES = 6;

/** MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_HEADER_LIST_SIZE. */
const SETTINGS: ReadonlyArray<readonly [id: number, value: number]> = [
  [3, MAX_STREAMS],
  [4, STREAM_WINDOW_BYTES],
  [6, MAX_HEADER_LIST_BYTES],
];

/** What a server sends first: its settings, and the window of the connection. */
export const GREETING = Buffer.concat([settings(), windowUpdate()]);

function settings(): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + SETTINGS.length * ENTRY_BYTES);
  writeFrameHeader(frame, 0, SETTINGS.length * ENTRY_BYTES, FRAME.SETTINGS, 0, 0);
  SETTINGS.forEach(([id, value], index) => {
    const at = FRAME_HEADER_BYTES + index * ENTRY_BYTES;
    frame.writeUInt16BE(id, at);
    frame.writeUInt32BE(value, at + 2);
  });
  return frame;
}

function windowUpdate(): Buffer {
  const frame = Buffer.alloc(FRAME_HEADER_BYTES + 4);
  writeFrameHeader(frame, 0, 4, FRAME.WINDOW_UPDATE, 0, 0);
  frame.writeUInt32BE(CONNECTION_WINDOW_BYTES - DEFAULT_WINDOW_BYTES, FRAME_HEADER_BYTES);
  return frame;
}
