import { ERROR } from '../../../../runtime/ext-proc/http2/error-code';
import { FLAG, FRAME } from '../../../../runtime/ext-proc/http2/frame';
import { frameFault } from '../../../../runtime/ext-proc/http2/frame-rules';

const { PROTOCOL_ERROR, FRAME_SIZE_ERROR } = ERROR;

test.each([
  ['DATA', FRAME.DATA, 0, 1, 16_384],
  ['HEADERS', FRAME.HEADERS, 0, 1, 0],
  ['PRIORITY', FRAME.PRIORITY, 0, 1, 5],
  ['RST_STREAM', FRAME.RST_STREAM, 0, 1, 4],
  ['SETTINGS', FRAME.SETTINGS, 0, 0, 12],
  ['an acknowledgement', FRAME.SETTINGS, FLAG.ACK, 0, 0],
  ['PING', FRAME.PING, 0, 0, 8],
  ['GOAWAY with a reason', FRAME.GOAWAY, 0, 0, 100],
  ['WINDOW_UPDATE of the connection', FRAME.WINDOW_UPDATE, 0, 0, 4],
  ['WINDOW_UPDATE of a stream', FRAME.WINDOW_UPDATE, 0, 1, 4],
  ['CONTINUATION', FRAME.CONTINUATION, 0, 1, 16_384],
  ['an unknown type', 0x7f, 0xff, 0, 1_000],
])('%s is as it must be', (_what, type, flags, streamId, length) => {
  expect(frameFault(type, flags, streamId, length)).toBeUndefined();
});

test.each([
  ['DATA on stream 0', FRAME.DATA, 0, 0, 1, PROTOCOL_ERROR],
  ['HEADERS on stream 0', FRAME.HEADERS, 0, 0, 1, PROTOCOL_ERROR],
  ['CONTINUATION on stream 0', FRAME.CONTINUATION, 0, 0, 1, PROTOCOL_ERROR],
  ['PRIORITY on stream 0', FRAME.PRIORITY, 0, 0, 5, PROTOCOL_ERROR],
  ['RST_STREAM on stream 0', FRAME.RST_STREAM, 0, 0, 4, PROTOCOL_ERROR],
  ['SETTINGS on a stream', FRAME.SETTINGS, 0, 1, 0, PROTOCOL_ERROR],
  ['PING on a stream', FRAME.PING, 0, 1, 8, PROTOCOL_ERROR],
  ['GOAWAY on a stream', FRAME.GOAWAY, 0, 1, 8, PROTOCOL_ERROR],
  ['PUSH_PROMISE', FRAME.PUSH_PROMISE, 0, 1, 4, PROTOCOL_ERROR],
  ['PRIORITY of 4 bytes', FRAME.PRIORITY, 0, 1, 4, FRAME_SIZE_ERROR],
  ['RST_STREAM of 5 bytes', FRAME.RST_STREAM, 0, 1, 5, FRAME_SIZE_ERROR],
  ['SETTINGS of 7 bytes', FRAME.SETTINGS, 0, 0, 7, FRAME_SIZE_ERROR],
  ['an acknowledgement with settings', FRAME.SETTINGS, FLAG.ACK, 0, 6, FRAME_SIZE_ERROR],
  ['PING of 7 bytes', FRAME.PING, 0, 0, 7, FRAME_SIZE_ERROR],
  ['GOAWAY of 7 bytes', FRAME.GOAWAY, 0, 0, 7, FRAME_SIZE_ERROR],
  ['WINDOW_UPDATE of 3 bytes', FRAME.WINDOW_UPDATE, 0, 1, 3, FRAME_SIZE_ERROR],
  ['more than 16,384 bytes', 0x7f, 0, 1, 16_385, FRAME_SIZE_ERROR],
])('%s is a fault', (_what, type, flags, streamId, length, code) => {
  expect(frameFault(type, flags, streamId, length)?.code).toBe(code);
});
