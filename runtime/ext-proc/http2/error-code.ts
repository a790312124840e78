/** RFC 9113, 7. */
export const ERROR = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;

export type ErrorCode = (typeof ERROR)[keyof typeof ERROR];

/** Why a connection ends. */
export interface Fault {
  readonly code: ErrorCode;
  /** For whoever reads a capture of the connection; no input of the peer. */
  readonly reason: string;
}
