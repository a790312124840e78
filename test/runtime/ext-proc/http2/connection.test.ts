import fc from 'fast-check';
import { type AcceptStream, Http2Connection } from '../../../../runtime/ext-proc/http2/connection';
import { ERROR } from '../../../../runtime/ext-proc/http2/error-code';
import { FLAG, FRAME } from '../../../../runtime/ext-proc/http2/frame';
import { encodeHeaderBlock } from '../../../../runtime/ext-proc/http2/header-block';
import type { ServerStream } from '../../../../runtime/ext-proc/http2/server-stream';
import { FakeSocket } from './fake-socket';
import { type Frame, frame, number, PREFACE, parseFrames, REQUEST, settings } from './frames';

const { END_HEADERS, END_STREAM, ACK } = FLAG;
const RESPONSE = encodeHeaderBlock([[':status', '200']]);
const TRAILERS = encodeHeaderBlock([['grpc-status', '0']]);

const request = (streamId: number, block = REQUEST) => frame(FRAME.HEADERS, END_HEADERS, streamId, block);
const data = (streamId: number, bytes: number | string, flags = 0) =>
  frame(FRAME.DATA, flags, streamId, typeof bytes === 'number' ? Buffer.alloc(bytes) : Buffer.from(bytes));

/** A connection after the first frames of both sides, and what its streams saw. */
function open(react?: AcceptStream) {
  const seen: string[] = [];
  const streams = new Map<number, ServerStream>();
  function note(stream: ServerStream) {
    return {
      data: (piece: Buffer) => seen.push(`${stream.id} data ${piece.length}`),
      end: () => seen.push(`${stream.id} end`),
      lost: () => seen.push(`${stream.id} lost`),
    };
  }
  const socket = new FakeSocket();
  const connection = new Http2Connection(socket, (stream, head) => {
    streams.set(stream.id, stream);
    return react === undefined ? note(stream) : react(stream, head);
  });
  const send = (...bytes: Buffer[]) => socket.push(Buffer.concat(bytes));
  const received = (): Frame[] => {
    connection.output.flush();
    return parseFrames(socket.takeSent());
  };
  send(PREFACE, settings());
  received();
  return { socket, connection, send, received, seen, streams };
}

/** The stream and code of each RST_STREAM. */
const resets = (frames: Frame[]) =>
  frames.filter(({ type }) => type === FRAME.RST_STREAM).map((one) => [one.streamId, one.payload.readUInt32BE()]);

/** The last stream and code of each GOAWAY. */
const goAways = (frames: Frame[]) =>
  frames
    .filter(({ type }) => type === FRAME.GOAWAY)
    .map(({ payload }) => [payload.readUInt32BE(0), payload.readUInt32BE(4)]);

/** Bytes of DATA. */
const sizeOf = (frames: Frame[]) =>
  frames.filter(({ type }) => type === FRAME.DATA).reduce((sum, { payload }) => sum + payload.length, 0);

describe('the beginning', () => {
  test('settings and the window are told before the peer says anything, and its settings are acknowledged', () => {
    const socket = new FakeSocket();
    new Http2Connection(socket, () => ({ data() {}, end() {}, lost() {} }));

    const [first, second, ...rest] = parseFrames(socket.takeSent());
    socket.push(Buffer.concat([PREFACE, settings([4, 100])]));

    expect(first).toMatchObject({ type: FRAME.SETTINGS, flags: 0, streamId: 0 });
    expect(second).toMatchObject({ type: FRAME.WINDOW_UPDATE, streamId: 0 });
    expect(rest).toEqual([]);
    expect(parseFrames(socket.takeSent())).toMatchObject([{ type: FRAME.SETTINGS, flags: ACK }]);
  });

  test('a first frame other than SETTINGS ends the connection', () => {
    const socket = new FakeSocket();
    new Http2Connection(socket, () => ({ data() {}, end() {}, lost() {} }));
    socket.takeSent();

    socket.push(Buffer.concat([PREFACE, frame(FRAME.PING, 0, 0, Buffer.alloc(8))]));

    expect(goAways(parseFrames(socket.takeSent()))).toEqual([[0, ERROR.PROTOCOL_ERROR]]);
    expect(socket.writableEnded).toBe(true);
  });
});

describe('a request', () => {
  test('reaches its receiver, and is answered with headers, DATA and trailers', () => {
    const { send, received, seen, streams } = open();

    send(request(1), data(1, 'abc'), data(1, '', END_STREAM));
    expect(seen).toEqual(['1 data 3', '1 end']);
    streams.get(1)!.respond(RESPONSE);
    streams.get(1)!.write([Buffer.from('x'), Buffer.from('y')]);
    streams.get(1)!.end(TRAILERS);

    expect(received()).toEqual([
      { type: FRAME.HEADERS, flags: END_HEADERS, streamId: 1, payload: RESPONSE },
      { type: FRAME.DATA, flags: 0, streamId: 1, payload: Buffer.from('xy') },
      { type: FRAME.HEADERS, flags: END_HEADERS | END_STREAM, streamId: 1, payload: TRAILERS },
    ]);
  });

  test('may end with its headers, or with trailers', () => {
    const { send, seen } = open();

    send(frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 1, REQUEST));
    send(request(3), frame(FRAME.HEADERS, END_HEADERS | END_STREAM, 3, encodeHeaderBlock([['x', 'y']])));

    expect(seen).toEqual(['1 end', '3 end']);
  });

  test('may have its headers cut into many frames', () => {
    const { send, streams } = open();

    send(
      frame(FRAME.HEADERS, 0, 1, REQUEST.subarray(0, 5)),
      frame(FRAME.CONTINUATION, 0, 1, REQUEST.subarray(5, 9)),
      frame(FRAME.CONTINUATION, END_HEADERS, 1, REQUEST.subarray(9)),
    );

    expect([...streams.keys()]).toEqual([1]);
  });

  test('that is answered before it ended is told to stop', () => {
    const { send, received, seen, streams } = open();
    send(request(1));

    streams.get(1)!.end(TRAILERS);
    const frames = received();
    send(data(1, 10));

    expect(frames.map(({ type }) => type)).toEqual([FRAME.HEADERS, FRAME.RST_STREAM]);
    expect(resets(frames)).toEqual([[1, ERROR.NO_ERROR]]);
    expect(seen).toEqual([]);
  });

  test('that is reset is lost, once, and takes what is written in silence', () => {
    const { send, received, seen, streams } = open();

    send(request(1), number(FRAME.RST_STREAM, 1, 8), number(FRAME.RST_STREAM, 1, 8));
    const stream = streams.get(1)!;
    stream.respond(RESPONSE);
    stream.write([Buffer.alloc(10)]);
    stream.end(TRAILERS);
    stream.resume();

    expect(seen).toEqual(['1 lost']);
    expect(received()).toEqual([]);
  });

  test('answers of one turn go out in one write', () => {
    const { socket, send } = open((stream) => ({
      data() {},
      end() {
        stream.respond(RESPONSE);
        stream.write([Buffer.from('ok')]);
        stream.end(TRAILERS);
      },
      lost() {},
    }));

    send(request(1), data(1, 'a', END_STREAM), request(3), data(3, 'a', END_STREAM));

    expect(socket.writes).toHaveLength(1);
    expect(parseFrames(socket.takeSent())).toHaveLength(6);
  });
});

describe('the peer', () => {
  test('has its PING answered', () => {
    const { send, received } = open();

    send(frame(FRAME.PING, 0, 0, Buffer.from('12345678')));

    expect(received()).toEqual([{ type: FRAME.PING, flags: ACK, streamId: 0, payload: Buffer.from('12345678') }]);
  });

  test('may send what is of no interest', () => {
    const { send, received, streams } = open();

    send(
      request(1),
      frame(FRAME.PRIORITY, 0, 3, Buffer.alloc(5)),
      frame(0x99, 0xff, 9, Buffer.alloc(100)),
      frame(FRAME.GOAWAY, 0, 0, Buffer.alloc(8)),
      frame(FRAME.SETTINGS, ACK, 0),
      frame(FRAME.PING, ACK, 0, Buffer.alloc(8)),
      settings([0x99, 1]),
    );

    expect(received()).toMatchObject([{ type: FRAME.SETTINGS, flags: ACK }]);
    expect(streams.size).toBe(1);
  });

  test.each<[string, Buffer[], number]>([
    ['a frame of a wrong size', [frame(FRAME.PING, 0, 0)], ERROR.FRAME_SIZE_ERROR],
    ['PUSH_PROMISE', [frame(FRAME.PUSH_PROMISE, 0, 1, Buffer.alloc(4))], ERROR.PROTOCOL_ERROR],
    ['DATA on a stream that is not open', [data(5, 1)], ERROR.PROTOCOL_ERROR],
    ['RST_STREAM on a stream that is not open', [number(FRAME.RST_STREAM, 5, 0)], ERROR.PROTOCOL_ERROR],
    ['WINDOW_UPDATE on a stream that is not open', [number(FRAME.WINDOW_UPDATE, 5, 1)], ERROR.PROTOCOL_ERROR],
    ['an even stream', [request(4)], ERROR.PROTOCOL_ERROR],
    ['a request on an older stream', [request(5), request(3)], ERROR.PROTOCOL_ERROR],
    ['a malformed header block', [request(5, Buffer.from([0x80]))], ERROR.COMPRESSION_ERROR],
    ['another frame within a block', [frame(FRAME.HEADERS, 0, 5, REQUEST), data(1, 1)], ERROR.PROTOCOL_ERROR],
    [
      'the block of another stream within a block',
      [frame(FRAME.HEADERS, 0, 5, REQUEST), frame(FRAME.CONTINUATION, END_HEADERS, 1)],
      ERROR.PROTOCOL_ERROR,
    ],
    ['CONTINUATION of nothing', [frame(FRAME.CONTINUATION, END_HEADERS, 1)], ERROR.PROTOCOL_ERROR],
    [
      'CONTINUATION without end',
      [frame(FRAME.HEADERS, 0, 5, REQUEST), ...Array.from({ length: 70 }, () => frame(FRAME.CONTINUATION, 0, 5))],
      ERROR.ENHANCE_YOUR_CALM,
    ],
    ['a window update of 0', [number(FRAME.WINDOW_UPDATE, 0, 0)], ERROR.PROTOCOL_ERROR],
    ['too large a window', [number(FRAME.WINDOW_UPDATE, 0, 2 ** 31 - 1)], ERROR.FLOW_CONTROL_ERROR],
    ['too large a setting', [settings([4, 2 ** 31])], ERROR.FLOW_CONTROL_ERROR],
    [
      'a setting that makes a window too large',
      [number(FRAME.WINDOW_UPDATE, 1, 2 ** 30), settings([4, 2 ** 31 - 1])],
      ERROR.FLOW_CONTROL_ERROR,
    ],
  ])('that sends %s loses the connection', (_what, bytes, code) => {
    const { socket, send, received, seen } = open();
    send(request(1));

    send(...bytes);

    expect(goAways(received()).map(([, reason]) => reason)).toEqual([code]);
    expect(seen).toContain('1 lost');
    expect(socket.writableEnded).toBe(true);
  });

  test.each<[string, Buffer[], number]>([
    ['a request that is none', [request(3, encodeHeaderBlock([[':method', 'GET']]))], ERROR.PROTOCOL_ERROR],
    [
      'headers above 64 KiB',
      [
        frame(FRAME.HEADERS, 0, 3, Buffer.concat([REQUEST, encodeHeaderBlock([['x', 'y'.repeat(4_000)]])])),
        // Index 62 is nothing; a literal with indexing makes it a large entry, which is then named again and again.
        frame(FRAME.CONTINUATION, 0, 3, Buffer.concat([Buffer.from('4001617f910e', 'hex'), Buffer.alloc(1_936, 'z')])),
        frame(FRAME.CONTINUATION, END_HEADERS, 3, Buffer.alloc(100, 0xbe)),
      ],
      ERROR.ENHANCE_YOUR_CALM,
    ],
    ['DATA after its end', [request(3), data(3, 1, END_STREAM), data(3, 1)], ERROR.STREAM_CLOSED],
    ['headers after its end', [request(3), data(3, 1, END_STREAM), request(3)], ERROR.PROTOCOL_ERROR],
    ['trailers without an end', [request(3), frame(FRAME.HEADERS, END_HEADERS, 3)], ERROR.PROTOCOL_ERROR],
    [
      'another length than announced',
      [request(3, Buffer.concat([REQUEST, encodeHeaderBlock([['content-length', '5']])])), data(3, 4, END_STREAM)],
      ERROR.PROTOCOL_ERROR,
    ],
    ['a window update of 0', [request(3), number(FRAME.WINDOW_UPDATE, 3, 0)], ERROR.PROTOCOL_ERROR],
    ['too large a window', [request(3), number(FRAME.WINDOW_UPDATE, 3, 2 ** 31 - 1)], ERROR.FLOW_CONTROL_ERROR],
  ])('that sends %s on a stream loses that one', (_what, bytes, code) => {
    const { send, received, seen } = open();
    send(request(1));

    send(...bytes);
    const frames = received();
    send(data(1, 7));

    expect(resets(frames)).toEqual([[3, code]]);
    expect(goAways(frames)).toEqual([]);
    expect(seen.at(-1)).toBe('1 data 7');
  });

  test('is told once of a stream that is over', () => {
    const { send, received } = open();
    send(request(1), number(FRAME.RST_STREAM, 1, 0));

    send(data(1, 10), data(1, 10), data(1, 10, END_STREAM));

    expect(resets(received())).toEqual([[1, ERROR.STREAM_CLOSED]]);
  });

  test('may have 65,536 streams open, and no more', () => {
    const { send, received, streams } = open();
    for (let index = 0; index < 65_536; index++) send(request(2 * index + 1));
    expect(streams.size).toBe(65_536);

    send(request(131_073));
    expect(resets(received())).toEqual([[131_073, ERROR.REFUSED_STREAM]]);
    send(number(FRAME.RST_STREAM, 1, 0), request(131_075));

    expect(streams.has(131_075)).toBe(true);
  });

  test('that is gone loses all its streams', async () => {
    const { socket, send, seen } = open();
    send(request(1), request(3));

    socket.destroy();
    await new Promise(setImmediate);

    expect(seen).toEqual(['1 lost', '3 lost']);
  });
});

describe('the windows of the peer', () => {
  test('what is larger than its window follows as it reads, and the trailers last', () => {
    const { send, received, streams } = open();
    send(settings([4, 10_000]), request(1));
    const stream = streams.get(1)!;
    stream.respond(RESPONSE);
    stream.write([Buffer.alloc(30_000)]);
    stream.end(TRAILERS);
    expect(sizeOf(received())).toBe(10_000);

    send(number(FRAME.WINDOW_UPDATE, 1, 15_000));
    expect(sizeOf(received())).toBe(15_000);
    send(number(FRAME.WINDOW_UPDATE, 1, 50_000));
    const last = received();

    expect(sizeOf(last)).toBe(5_000);
    expect(last.at(-2)).toMatchObject({ type: FRAME.HEADERS, flags: END_HEADERS | END_STREAM });
  });

  test('that get smaller hold for streams that are open', () => {
    const { send, received, streams } = open();
    send(request(1));
    streams.get(1)!.write([Buffer.alloc(10_000)]);
    received();

    send(settings([4, 5_000]));
    streams.get(1)!.write([Buffer.alloc(1_000)]);
    expect(sizeOf(received())).toBe(0);
    send(number(FRAME.WINDOW_UPDATE, 1, 5_400));

    expect(sizeOf(received())).toBe(400);
  });

  test('a peer that reads nothing of what it asks for is held back, then goes on', async () => {
    const { send, received, streams } = open();
    send(settings([4, 0]), request(1));
    const stream = streams.get(1)!;
    const updates = () => received().filter(({ type, streamId }) => type === FRAME.WINDOW_UPDATE && streamId === 1);
    stream.write([Buffer.alloc(2_000_000)]);
    for (let count = 0; count < 16; count++) send(data(1, 16_000));
    expect(updates()).toEqual([]);

    send(number(FRAME.WINDOW_UPDATE, 0, 2_000_000), number(FRAME.WINDOW_UPDATE, 1, 2_000_000));
    for (let turn = 0; turn < 100 && stream.queue !== undefined; turn++) await new Promise(setImmediate);

    expect(updates()).toHaveLength(1);
  });
});

describe('our windows', () => {
  const chunk = 16_000;
  const windowUpdates = (frames: Frame[]) => frames.filter(({ type }) => type === FRAME.WINDOW_UPDATE);

  test('a small stream needs no update', () => {
    const { send, received } = open();

    send(request(1), data(1, chunk), data(1, chunk, END_STREAM));

    expect(received()).toEqual([]);
  });

  test('a large body is let through without end', () => {
    const { send, received, seen } = open();
    send(request(1));
    // Bytes that the peer may send, by what it was told.
    let window = 262_144;
    for (let count = 0; count < 2_000; count++) {
      send(data(1, chunk));
      window -= chunk;
      for (const update of windowUpdates(received()))
        if (update.streamId === 1) window += update.payload.readUInt32BE();
      expect(window).toBeGreaterThanOrEqual(chunk);
    }

    expect(seen).toHaveLength(2_000);
  });

  test('a stream that is held back gets no update, the connection does', () => {
    const { send, received, streams } = open();
    const held: number[] = [];
    for (let id = 1; id < 400; id += 2) {
      send(request(id));
      streams.get(id)!.pause();
      held.push(id);
    }
    for (let count = 0; count < 16; count++) for (const id of held) send(data(id, chunk));

    const updates = windowUpdates(received());
    expect(new Set(updates.map(({ streamId }) => streamId))).toEqual(new Set([0]));
    streams.get(1)!.resume();

    expect(windowUpdates(received()).map(({ streamId }) => streamId)).toEqual([1]);
  });

  test('a peer that sends beyond the window of a stream loses that one', () => {
    const { send, received, seen, streams } = open();
    send(request(1), request(3));
    streams.get(1)!.pause();

    for (let count = 0; count < 70; count++) send(data(1, chunk));
    send(data(3, 1));

    expect(resets(received())[0]).toEqual([1, ERROR.FLOW_CONTROL_ERROR]);
    expect(seen.slice(-2)).toEqual(['1 lost', '3 data 1']);
  });
});

describe('a peer that does not read', () => {
  test.each<[string, Buffer]>([
    ['PING', frame(FRAME.PING, 0, 0, Buffer.alloc(8))],
    ['SETTINGS', settings()],
  ])('and floods with %s is cut', (_what, bytes) => {
    const { socket, send, seen } = open();
    send(request(1));
    socket.stalled = true;
    const flood = Buffer.concat(Array.from({ length: 2_000 }, () => bytes));

    for (let count = 0; count < 1_000 && !socket.destroyed; count++) send(flood);

    expect(socket.destroyed).toBe(true);
    expect(socket.writableLength).toBeLessThan(2 ** 22 + 100_000);
    expect(seen).toEqual(['1 lost']);
  });

  test.each<[string, Buffer]>([
    ['empty DATA', data(1, 0)],
    ['DATA on a stream that is over', data(3, 1)],
    ['window updates', number(FRAME.WINDOW_UPDATE, 3, 1)],
    ['resets', number(FRAME.RST_STREAM, 3, 0)],
  ])('and floods with %s is answered nothing', (_what, bytes) => {
    const { socket, send } = open();
    send(request(1), request(3), number(FRAME.RST_STREAM, 3, 0), data(3, 1));
    socket.stalled = true;
    const before = socket.writableLength;

    for (let count = 0; count < 1_000; count++) send(bytes);

    expect(socket.writableLength).toBe(before);
  });

  test('and resets all it opens is cut', () => {
    const { socket, send } = open((stream) => {
      stream.respond(RESPONSE);
      stream.end(TRAILERS);
      return { data() {}, end() {}, lost() {} };
    });
    socket.stalled = true;

    for (let id = 1; id < 1_000_000 && !socket.destroyed; id += 2) send(request(id), number(FRAME.RST_STREAM, id, 8));

    expect(socket.destroyed).toBe(true);
  });

  test('has its answers kept as far as its windows, in our queue', () => {
    const { socket, send, streams } = open();
    send(settings([4, 2 ** 30]), number(FRAME.WINDOW_UPDATE, 0, 2 ** 30), request(1));
    socket.stalled = true;

    streams.get(1)!.write([Buffer.alloc(50_000_000)]);

    expect(socket.writableLength).toBeLessThan(1_000_000);
    expect(streams.get(1)!.queue?.bytes).toBeGreaterThan(49_000_000);
  });
});

describe('drain', () => {
  const isDrainPing = ({ type, flags }: Frame) => type === FRAME.PING && flags === 0;

  test('serves what is under way, refuses what is new after a round trip, and ends with the last stream', () => {
    const { socket, connection, send, received, streams } = open();
    send(request(1));

    connection.drain();
    const first = received();
    expect(goAways(first)).toEqual([[2 ** 31 - 1, ERROR.NO_ERROR]]);
    send(request(3));
    send(frame(FRAME.PING, ACK, 0, first.find(isDrainPing)!.payload));
    expect(goAways(received())).toEqual([[3, ERROR.NO_ERROR]]);
    send(request(5), data(5, 10));
    const refused = received();

    expect(resets(refused)[0]).toEqual([5, ERROR.REFUSED_STREAM]);
    expect(goAways(refused)).toEqual([]);
    expect([...streams.keys()]).toEqual([1, 3]);
    send(data(1, 0, END_STREAM));
    streams.get(1)!.end(TRAILERS);
    expect(socket.writableEnded).toBe(false);
    streams.get(3)!.end(TRAILERS);

    expect(socket.writableEnded).toBe(true);
    expect(parseFrames(socket.takeSent()).map(({ streamId }) => streamId)).toEqual([1, 3, 3]);
  });

  test('ends an idle connection after the round trip', () => {
    const { socket, connection, send, received } = open();

    connection.drain();
    expect(socket.writableEnded).toBe(false);
    send(frame(FRAME.PING, ACK, 0, received().find(isDrainPing)!.payload));

    expect(socket.writableEnded).toBe(true);
  });

  test('ends a connection on which nothing came at once', () => {
    const socket = new FakeSocket();
    const connection = new Http2Connection(socket, () => ({ data() {}, end() {}, lost() {} }));

    connection.drain();

    expect(socket.destroyed).toBe(true);
  });
});

describe('whatever comes', () => {
  const streamId = fc.constantFrom(0, 1, 1, 3, 3, 5, 7, 2, 2 ** 31 - 1);
  const wild = fc
    .tuple(fc.nat(11), fc.nat(255), streamId, fc.uint8Array({ maxLength: 30 }))
    .map(([type, flags, id, payload]) => frame(type, flags, id, payload));
  const sensible = fc.oneof(
    streamId.map((id) => request(id)),
    streamId.map((id) => frame(FRAME.HEADERS, END_HEADERS | END_STREAM, id, REQUEST)),
    fc.tuple(streamId, fc.nat(5_000), fc.constantFrom(0, END_STREAM)).map(([id, size, flags]) => data(id, size, flags)),
    fc.tuple(streamId, fc.nat(2 ** 31)).map(([id, bytes]) => number(FRAME.WINDOW_UPDATE, id, bytes)),
    streamId.map((id) => number(FRAME.RST_STREAM, id, 8)),
    fc.nat(100_000).map((bytes) => settings([4, bytes], [1, 0])),
    fc.constant(frame(FRAME.PING, 0, 0, Buffer.alloc(8))),
  );
  const mutations = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 2 });

  test('nothing is thrown, each stream is told of its end at most once, and what is kept is bounded', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 4, arbitrary: sensible }, wild), { maxLength: 40 }),
        fc.array(fc.nat(), { maxLength: 10 }),
        mutations,
        (frames, places, flips) => {
          const ends = new Map<number, number>();
          const { socket, connection } = open((stream) => {
            ends.set(stream.id, 0);
            return {
              data: (piece) => {
                if (piece.length % 3 === 0) stream.pause();
                stream.write([piece, piece]);
                if (piece.length % 3 === 1) stream.resume();
              },
              end: () => stream.end(TRAILERS),
              lost: () => ends.set(stream.id, ends.get(stream.id)! + 1),
            };
          });
          const bytes = Buffer.concat([Buffer.alloc(0), ...frames]);
          for (const [at, mask] of flips) if (bytes.length > 0) bytes[at % bytes.length]! ^= mask;
          const cuts = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
          cuts.forEach((cut, index) => {
            if (!socket.destroyed) socket.push(bytes.subarray(cuts[index - 1] ?? 0, cut));
          });

          connection.destroy();
          expect(Math.max(0, ...ends.values())).toBeLessThanOrEqual(1);
          expect(socket.takeSent().length).toBeLessThan(3 * bytes.length + 10_000);
        },
      ),
      { numRuns: 1_500 },
    );
  });
});
