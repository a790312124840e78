import { FRAME } from '../../../../runtime/ext-proc/http2/frame';
import { Output } from '../../../../runtime/ext-proc/http2/output';
import { Sender, type SendingStream } from '../../../../runtime/ext-proc/http2/sender';
import { FakeSocket } from './fake-socket';
import { parseFrames } from './frames';

function open() {
  const socket = new FakeSocket();
  const output = new Output(socket, () => {});
  const seen = { overflows: 0 };
  const sender = new Sender(output, () => seen.overflows++);
  const drained: number[] = [];
  const stream = (id: number, sendWindow = 65_535): SendingStream => ({
    id,
    sendWindow,
    queue: undefined,
    drained: () => drained.push(id),
  });
  /** The DATA frames sent since the last call, as stream and length. */
  const sent = () => {
    output.flush();
    return parseFrames(socket.takeSent())
      .filter(({ type }) => type === FRAME.DATA)
      .map(({ streamId, payload }) => [streamId, payload.length]);
  };
  return { socket, sender, seen, stream, sent, drained };
}

test('pieces that fit go out in one frame', () => {
  const { sender, stream, sent } = open();

  sender.send(stream(1), [Buffer.alloc(5), Buffer.alloc(10_000), Buffer.alloc(0)]);

  expect(sent()).toEqual([[1, 10_005]]);
});

test('nothing is no frame', () => {
  const { sender, stream, sent } = open();

  sender.send(stream(1), []);
  sender.send(stream(1), [Buffer.alloc(0)]);

  expect(sent()).toEqual([]);
});

test('no frame is larger than any peer takes', () => {
  const { sender, stream, sent } = open();

  sender.send(stream(1), [Buffer.alloc(40_000)]);

  expect(sent()).toEqual([
    [1, 16_384],
    [1, 16_384],
    [1, 7_232],
  ]);
});

test('what a stream has no window for waits, and follows in order', () => {
  const { sender, stream, sent, drained } = open();
  const one = stream(1, 10);
  sender.send(one, [Buffer.alloc(25)]);
  sender.send(one, [Buffer.alloc(3)]);
  expect(sent()).toEqual([[1, 10]]);

  sender.widenStream(one, 16);
  sender.pump();
  expect(sent()).toEqual([[1, 16]]);
  expect(drained).toEqual([]);
  sender.widenStream(one, 16);
  sender.pump();

  expect(sent()).toEqual([[1, 2]]);
  expect(drained).toEqual([1]);
});

test('the window of the connection is shared frame by frame', async () => {
  const { sender, stream, sent } = open();
  const [one, two, three] = [stream(1), stream(3), stream(5)];
  sender.send(one, [Buffer.alloc(65_535)]);
  sent();
  await new Promise(setImmediate);
  sender.send(two, [Buffer.alloc(40_000)]);
  sender.send(three, [Buffer.alloc(20_000)]);
  expect(sent()).toEqual([]);

  sender.widen(100_000);
  sender.pump();

  expect(sent()).toEqual([
    [3, 16_384],
    [5, 16_384],
    [3, 16_384],
    [5, 3_616],
    [3, 7_232],
  ]);
});

test('a stream without a window does not hold back another', () => {
  const { sender, stream, sent } = open();
  sender.send(stream(1, 0), [Buffer.alloc(10)]);

  sender.send(stream(3), [Buffer.alloc(10)]);

  expect(sent()).toEqual([[3, 10]]);
});

test('a smaller window for all streams may leave one with less than nothing', () => {
  const { sender, stream, sent } = open();
  const one = stream(1);
  sender.send(one, [Buffer.alloc(1_000)]);
  sent();

  expect(sender.changeWindows(500, [one])).toBe(true);
  expect(one.sendWindow).toBe(-500);
  sender.send(one, [Buffer.alloc(10)]);
  sender.widenStream(one, 500);
  sender.pump();
  expect(sent()).toEqual([]);
  sender.widenStream(one, 4);
  sender.pump();

  expect(sent()).toEqual([[1, 4]]);
});

test('a window above 2^31 - 1 is not one', () => {
  const { sender, stream } = open();
  const one = stream(1);

  expect(sender.widen(2 ** 31 - 1)).toBe(false);
  expect(sender.widenStream(one, 2 ** 31 - 1)).toBe(false);
  expect(sender.changeWindows(2 ** 31 - 1, [stream(1, 70_000)])).toBe(false);
});

test('DATA waits for a socket that is full, and a large body is sent as it empties', async () => {
  const { socket, sender, stream, sent } = open();
  const body = 5_000_000;
  const one = stream(1, body);
  sender.widen(body);
  socket.stalled = true;

  sender.send(one, [Buffer.alloc(body)]);
  expect(socket.writableLength).toBeLessThan(400_000);
  socket.readOn();
  let total = 0;
  for (let turn = 0; turn < 100 && total < body; turn++) {
    sender.pump();
    for (const [, length] of sent()) total += length!;
    await new Promise(setImmediate);
  }

  expect(total).toBe(body);
});

test('a stream that is gone sends nothing more', () => {
  const { sender, stream, sent } = open();
  const one = stream(1, 5);
  sender.send(one, [Buffer.alloc(10)]);
  sent();

  sender.forget(one);
  sender.widenStream(one, 10);
  sender.pump();

  expect(sent()).toEqual([]);
});

test('a peer that takes nothing and asks for more than can be kept is told of', () => {
  const { sender, stream, seen } = open();
  const one = stream(1, 0);
  const piece = Buffer.alloc(2 ** 26);

  for (let count = 0; count < 16; count++) sender.send(one, [piece]);
  expect(seen.overflows).toBe(0);
  sender.send(one, [piece]);

  expect(seen.overflows).toBe(1);
});
