import { ERROR } from '../../../../runtime/ext-proc/http2/error-code';
import { FLAG } from '../../../../runtime/ext-proc/http2/frame';
import { HeaderBlockReader } from '../../../../runtime/ext-proc/http2/header-block-reader';

const { END_HEADERS, END_STREAM, PADDED, PRIORITY } = FLAG;

function headers(flags: number, ...bytes: number[]) {
  return new HeaderBlockReader().headers(flags, 1, Buffer.from(bytes), 0, bytes.length);
}

test.each([
  ['plain', END_HEADERS, [7, 8, 9]],
  ['padded', END_HEADERS | PADDED, [2, 7, 8, 9, 0, 0]],
  ['with a priority', END_HEADERS | PRIORITY, [0, 0, 0, 0, 0, 7, 8, 9]],
  ['padded, with a priority', END_HEADERS | PADDED | PRIORITY, [1, 0, 0, 0, 0, 0, 7, 8, 9, 0]],
])('a block in one frame, %s', (_how, flags, bytes) => {
  expect(headers(flags, ...bytes)).toEqual(Buffer.from([7, 8, 9]));
});

test.each([
  ['a priority that is cut off', END_HEADERS | PRIORITY, [0, 0], ERROR.FRAME_SIZE_ERROR],
  ['no octet for the padding', END_HEADERS | PADDED, [], ERROR.FRAME_SIZE_ERROR],
  ['more padding than bytes', END_HEADERS | PADDED, [3, 7, 8], ERROR.PROTOCOL_ERROR],
])('HEADERS with %s are a fault', (_what, flags, bytes, code) => {
  expect(headers(flags, ...bytes)).toMatchObject({ code });
});

test('a block in three frames', () => {
  const reader = new HeaderBlockReader();

  expect(reader.headers(END_STREAM, 5, Buffer.from([1, 2]), 0, 2)).toBeUndefined();
  expect(reader.openStreamId).toBe(5);
  expect(reader.continuation(0, Buffer.from([3, 4, 5]), 1, 2)).toBeUndefined();
  expect(reader.continuation(END_HEADERS, Buffer.from([6]), 0, 1)).toEqual(Buffer.from([1, 2, 4, 6]));

  expect(reader.openStreamId).toBe(0);
  expect(reader.endStream).toBe(true);
});

test.each([
  ['large', 16_384, 4],
  ['empty', 0, 70],
])('a flood of %s continuations is a fault', (_what, size, most) => {
  const reader = new HeaderBlockReader();
  reader.headers(0, 1, Buffer.alloc(1), 0, 1);

  const faults = Array.from({ length: most }, () => reader.continuation(0, Buffer.alloc(size), 0, size));

  expect(faults).toContainEqual(expect.objectContaining({ code: ERROR.ENHANCE_YOUR_CALM }));
});
