import fc from 'fast-check';
import { ERROR } from '../../../../runtime/ext-proc/http2/error-code';
import { FLAG, FRAME } from '../../../../runtime/ext-proc/http2/frame';
import { FrameParser } from '../../../../runtime/ext-proc/http2/frame-parser';
import { frame, PREFACE } from './frames';

/** What a parser tells of bytes; the pieces of a stream's DATA are put together. */
function parse(chunks: readonly Buffer[], frameBegins: () => boolean = () => true) {
  const events: unknown[] = [];
  const bodies = new Map<number, { bytes: string; credit: number }>();
  const parser = new FrameParser({
    frameBegins,
    frame: (type, flags, streamId, bytes, start, end) =>
      events.push([type, flags, streamId, bytes.toString('hex', start, end)]),
    data: (streamId, piece, credit) => {
      const body = bodies.get(streamId) ?? { bytes: '', credit: 0 };
      bodies.set(streamId, { bytes: body.bytes + piece.toString('hex'), credit: body.credit + credit });
    },
    dataEnds: (streamId) => events.push(['end', streamId]),
    fault: ({ code }) => events.push(['fault', code]),
  });
  for (const chunk of chunks) parser.push(chunk);
  return { events, bodies: Object.fromEntries(bodies) };
}

/** `bytes` cut at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % bytes.length), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const padded = (body: string, padding: number) =>
  Buffer.concat([Buffer.from([padding]), Buffer.from(body), Buffer.alloc(padding)]);

const CONNECTION = Buffer.concat([
  PREFACE,
  frame(FRAME.SETTINGS, 0, 0),
  frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.from('headers')),
  frame(FRAME.DATA, 0, 1, Buffer.from('one')),
  frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(5)),
  frame(FRAME.DATA, FLAG.PADDED, 1, padded('two', 40)),
  frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(20)),
  frame(0x42, 0xff, 7, Buffer.alloc(30)),
  frame(FRAME.DATA, 0, 3),
  frame(FRAME.PING, 0, 0, Buffer.alloc(8, 1)),
  frame(FRAME.DATA, FLAG.PADDED | FLAG.END_STREAM, 1, padded('', 3)),
  frame(FRAME.WINDOW_UPDATE, 0, 1, Buffer.alloc(4, 2)),
]);

const EXPECTED = {
  events: [
    [FRAME.SETTINGS, 0, 0, ''],
    [FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.from('headers').toString('hex')],
    [FRAME.PING, 0, 0, '0101010101010101'],
    ['end', 1],
    [FRAME.WINDOW_UPDATE, 0, 1, '02020202'],
  ],
  bodies: {
    1: { bytes: Buffer.from('onetwo').toString('hex'), credit: 3 + 44 + 4 },
    3: { bytes: '', credit: 0 },
  },
};

test('frames are read, padding is taken off and counted, and what nobody reads is passed over', () => {
  expect(parse([CONNECTION])).toEqual(EXPECTED);
});

test('it does not matter where the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 40 }), (places) => {
      expect(parse(cut(CONNECTION, places))).toEqual(EXPECTED);
    }),
  );
  expect(parse(Array.from(CONNECTION, (byte) => Buffer.from([byte])))).toEqual(EXPECTED);
});

test('DATA is handed on as views of the chunks, before its frame is complete', () => {
  const chunk = Buffer.concat([PREFACE, frame(FRAME.DATA, 0, 1, Buffer.alloc(100)).subarray(0, 50)]);
  const pieces: Buffer[] = [];
  const parser = new FrameParser({
    frameBegins: () => true,
    frame: () => {},
    data: (_id, piece) => pieces.push(piece),
    dataEnds: () => {},
    fault: () => {},
  });

  parser.push(chunk);

  expect(pieces).toHaveLength(1);
  expect(pieces[0]).toHaveLength(41);
  expect(pieces[0]!.buffer).toBe(chunk.buffer);
});

test.each([
  ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n'), ERROR.PROTOCOL_ERROR],
  ['a frame that is too large', frame(FRAME.DATA, 0, 1, Buffer.alloc(16_385)), ERROR.FRAME_SIZE_ERROR],
  ['padded DATA of no bytes', frame(FRAME.DATA, FLAG.PADDED, 1), ERROR.FRAME_SIZE_ERROR],
  ['DATA with more padding than bytes', frame(FRAME.DATA, FLAG.PADDED, 1, Buffer.from([1])), ERROR.PROTOCOL_ERROR],
])('%s is a fault, after which nothing is read', (what, bytes, code) => {
  const ping = frame(FRAME.PING, 0, 0, Buffer.alloc(8));
  const preface = what === 'another protocol' ? [] : [PREFACE];

  expect(parse([...preface, bytes, ping]).events).toEqual([['fault', code]]);
});

test('a sink that wants no more gets no more', () => {
  expect(parse([CONNECTION], () => false)).toEqual({ events: [], bodies: {} });
});

test('any bytes are read without a throw', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 5 }), (chunks) => {
      parse([PREFACE, ...chunks.map((chunk) => Buffer.from(chunk))]);
    }),
    { numRuns: 1_000 },
  );
});
