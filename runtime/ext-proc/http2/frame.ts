/** RFC 9113, 6. */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export type FrameType = (typeof FRAME)[keyof typeof FRAME];

export const FLAG = {
  END_STREAM: 0x1,
  /** Of SETTINGS and PING. */
  ACK: 0x1,
  END_HEADERS: 0x4,
  PADDED: 0x8,
  PRIORITY: 0x20,
} as const;

/** Length (3 octets), type, flags, stream (4). */
export const FRAME_HEADER_BYTES = 9;

export function writeFrameHeader(
  into: Buffer,
  at: number,
  length: number,
  type: FrameType,
  flags: number,
  streamId: number,
): void {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(streamId, at + 5);
}
