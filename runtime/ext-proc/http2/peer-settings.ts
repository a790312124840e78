import { ERROR, type Fault } from './error-code';

/** What a SETTINGS frame of the peer changes, as far as the server acts on it. */
export interface PeerSettings {
  /** The dynamic table that the peer's decoder keeps; we use none, but have to say so when it shrinks. */
  headerTableBytes?: number;
  /** What may be sent on a stream before the peer's first WINDOW_UPDATE for it. */
  initialWindow?: number;
}

export const MAX_WINDOW = 2 ** 31 - 1;
/** The least that MAX_FRAME_SIZE may be, and thus what any peer takes. */
export const SAFE_FRAME_BYTES = 16_384;

const ID = { HEADER_TABLE_SIZE: 1, ENABLE_PUSH: 2, INITIAL_WINDOW_SIZE: 4, MAX_FRAME_SIZE: 5 } as const;
const ENTRY_BYTES = 6;

/** Reads the payload of SETTINGS, a multiple of 6 bytes. Of several values the last counts; unknown ones are ignored. */
export function readPeerSettings(bytes: Buffer, start: number, end: number): PeerSettings | Fault {
  const settings: PeerSettings = {};
  for (let at = start; at < end; at += ENTRY_BYTES) {
    const value = bytes.readUInt32BE(at + 2);
    switch (bytes.readUInt16BE(at)) {
      case ID.HEADER_TABLE_SIZE:
        // The smallest of several is the one that the next header block must not exceed.
        settings.headerTableBytes = Math.min(settings.headerTableBytes ?? value, value);
        break;
      case ID.ENABLE_PUSH:
        if (value > 1) return { code: ERROR.PROTOCOL_ERROR, reason: 'ENABLE_PUSH is neither 0 nor 1' };
        break;
      case ID.INITIAL_WINDOW_SIZE:
        if (value > MAX_WINDOW) return { code: ERROR.FLOW_CONTROL_ERROR, reason: 'INITIAL_WINDOW_SIZE is too large' };
        settings.initialWindow = value;
        break;
      case ID.MAX_FRAME_SIZE:
        if (value < SAFE_FRAME_BYTES || value >= 2 ** 24) {
          return { code: ERROR.PROTOCOL_ERROR, reason: 'MAX_FRAME_SIZE is out of range' };
        }
        break;
      default:
    }
  }
  return settings;
}
