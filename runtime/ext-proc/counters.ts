import type { MessageKind } from './decode-request';

/** What a server counted since its start, for telemetry; plain numbers that only grow, but for `openStreams`. */
export interface ExtProcCounters {
  /** Streams, one for each HTTP request, that are open now. */
  openStreams: number;
  streams: number;
  readonly messages: Record<MessageKind, number>;
  /** Streams ended because of what they sent: bad framing, bad protobuf, a compressed or cut message. */
  malformed: number;
  /** Streams ended because a message was larger than the server takes. */
  tooLarge: number;
  /** Streams ended because the processor threw or rejected; Envoy then fails open. */
  handlerErrors: number;
  /** Requests answered by `overloaded` because the budget had no room. */
  budgetRefusals: number;
}

export function newCounters(): ExtProcCounters {
  return {
    openStreams: 0,
    streams: 0,
    messages: {
      requestHeaders: 0,
      requestBody: 0,
      responseHeaders: 0,
      responseBody: 0,
      requestTrailers: 0,
      responseTrailers: 0,
      unknown: 0,
    },
    malformed: 0,
    tooLarge: 0,
    handlerErrors: 0,
    budgetRefusals: 0,
  };
}
