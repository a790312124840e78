/** One published message. */
export interface Published {
  /** Counts the publisher's messages from 0. */
  readonly seq: number;
  readonly payload: Uint8Array;
}

const SEQ_BYTES = 8;

/** The mark behind the last message of a replay: eight bytes of ones. */
const END_OF_REPLAY = Buffer.alloc(SEQ_BYTES, 0xff);

/** A message of the subscription: topic, sequence number, payload. Undefined for anything else. */
export function readPublished(frames: readonly Buffer[]): Published | undefined {
  return frames.length === 3 ? toPublished(frames[1]!, frames[2]!) : undefined;
}

/** A message of a replay: sequence number and payload behind an empty frame and perhaps the topic. */
export function readReplayed(frames: readonly Buffer[]): Published | 'end' | undefined {
  const seq = frames.at(-2);
  const payload = frames.at(-1);
  if (seq === undefined || payload === undefined || frames.length > 4) return undefined;
  return seq.equals(END_OF_REPLAY) ? 'end' : toPublished(seq, payload);
}

/** The sequence number as it is asked for. */
export function seqFrame(seq: number): Buffer {
  const frame = Buffer.alloc(SEQ_BYTES);
  frame.writeBigUInt64BE(BigInt(seq));
  return frame;
}

function toPublished(frame: Buffer, payload: Buffer): Published | undefined {
  if (frame.length !== SEQ_BYTES) return undefined;
  const seq = frame.readUInt32BE(0) * 0x1_0000_0000 + frame.readUInt32BE(4);
  return Number.isSafeInteger(seq) ? { seq, payload } : undefined;
}
