import { ERROR } from '../../../../runtime/ext-proc/http2/error-code';
import { readPeerSettings } from '../../../../runtime/ext-proc/http2/peer-settings';
import { settings } from './frames';

function read(...entries: [id: number, value: number][]) {
  const frame = settings(...entries);
  return readPeerSettings(frame, 9, frame.length);
}

test('of several values the last counts, and unknown ones are ignored', () => {
  expect(read([4, 1], [5, 20_000], [0x99, 7], [4, 2], [3, 100], [2, 0])).toEqual({
    initialWindow: 2,
  });
});

test('of several sizes of the header table the smallest counts', () => {
  expect(read([1, 4096], [1, 0], [1, 4096])).toEqual({ headerTableBytes: 0 });
});

test.each([
  ['ENABLE_PUSH', [2, 2], ERROR.PROTOCOL_ERROR],
  ['INITIAL_WINDOW_SIZE', [4, 2 ** 31], ERROR.FLOW_CONTROL_ERROR],
  ['MAX_FRAME_SIZE below its least', [5, 16_383], ERROR.PROTOCOL_ERROR],
  ['MAX_FRAME_SIZE above its most', [5, 2 ** 24], ERROR.PROTOCOL_ERROR],
] as const)('%s out of range is a fault', (_name, entry, code) => {
  expect(read([...entry])).toMatchObject({ code });
});
