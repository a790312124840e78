import { FLAG, FRAME } from '../../../../runtime/ext-proc/http2/frame';
import { Output } from '../../../../runtime/ext-proc/http2/output';
import { FakeSocket } from './fake-socket';
import { parseFrames } from './frames';

function open() {
  const socket = new FakeSocket();
  const seen = { overflows: 0 };
  const output = new Output(socket, () => seen.overflows++);
  return { socket, output, seen };
}

const PING = Buffer.alloc(8, 1);

test('the frames of one turn go out in one write, at its end', () => {
  const { socket, output } = open();

  output.hold();
  output.ping(FLAG.ACK, PING);
  output.number(FRAME.WINDOW_UPDATE, 3, 70_000);
  expect(socket.writes).toEqual([]);
  output.release();

  expect(socket.writes).toHaveLength(1);
  expect(parseFrames(socket.takeSent())).toEqual([
    { type: FRAME.PING, flags: FLAG.ACK, streamId: 0, payload: PING },
    { type: FRAME.WINDOW_UPDATE, flags: 0, streamId: 3, payload: Buffer.from([0, 1, 0x11, 0x70]) },
  ]);
});

test('what is added outside of a turn goes out before the next one', async () => {
  const { socket, output } = open();

  output.ping(FLAG.ACK, PING);
  output.ping(FLAG.ACK, PING);
  await new Promise(setImmediate);

  expect(socket.writes).toHaveLength(1);
});

test('frames beyond a block, and large payloads, keep their order', () => {
  const { socket, output } = open();
  const payloads = [10, 5_000, 3_000, 3_000, 4_097, 4_000, 4_000, 4_000, 1].map((size, index) =>
    Buffer.alloc(size, index + 1),
  );

  for (let turn = 0; turn < 3; turn++) {
    output.hold();
    for (const payload of payloads) {
      output.begin(FRAME.DATA, 0, 1, payload.length);
      output.append(payload);
    }
    output.release();
    expect(parseFrames(socket.takeSent()).map((frame) => frame.payload)).toEqual(payloads);
  }
});

test('bytes under way are left alone while others are added', () => {
  const { socket, output } = open();
  socket.stalled = true;
  const ids = Array.from({ length: 3_000 }, (_, index) => index);
  for (const id of ids) {
    output.hold();
    output.number(FRAME.RST_STREAM, id, 0);
    output.release();
  }

  socket.readOn();

  expect(parseFrames(socket.takeSent()).map(({ streamId }) => streamId)).toEqual(ids);
});

test('DATA is not wanted while the socket does not take it', () => {
  const { socket, output } = open();
  expect(output.ready()).toBe(true);
  socket.stalled = true;

  output.hold();
  for (let count = 0; count < 20; count++) {
    output.begin(FRAME.DATA, 0, 1, 16_384);
    output.append(Buffer.alloc(16_384));
  }

  expect(output.ready()).toBe(false);
  expect(socket.writableLength).toBeGreaterThan(262_144);
});

test('a peer that never reads is told of', () => {
  const { socket, output, seen } = open();
  socket.stalled = true;

  for (let count = 0; count < 20_000 && seen.overflows === 0; count++) {
    output.hold();
    for (let ping = 0; ping < 100; ping++) output.ping(FLAG.ACK, PING);
    output.release();
  }

  expect(seen.overflows).toBe(1);
  expect(socket.writableLength).toBeLessThan(2 ** 22 + 10_000);
});

test('a peer whose decoder has no table is told once that none is used', () => {
  const { socket, output } = open();
  const block = Buffer.from([0x88]);
  output.hold();

  output.headers(1, block, false);
  output.limitHeaderTable(4096);
  output.headers(3, block, false);
  output.limitHeaderTable(0);
  output.headers(5, block, false);
  output.headers(7, block, true);
  output.release();

  const [first, second, third, last] = parseFrames(socket.takeSent());
  expect([first, second, last].map((frame) => frame?.payload)).toEqual([block, block, block]);
  expect(third?.payload).toEqual(Buffer.from([0x20, 0x88]));
  expect(last?.flags).toBe(FLAG.END_HEADERS | FLAG.END_STREAM);
});

test('nothing is written to a socket that is gone', () => {
  const { socket, output } = open();
  const errors: unknown[] = [];
  socket.on('error', (error) => errors.push(error));
  socket.destroy();

  output.hold();
  output.append(Buffer.alloc(10_000));
  output.release();

  expect(socket.writes).toEqual([]);
  expect(errors).toEqual([]);
});
