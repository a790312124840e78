import fc from 'fast-check';
import { FrameReader } from '../../../runtime/ext-proc/frame-reader';
import { frame } from './golden';

describe('FrameReader', () => {
  test('gives the messages that were framed, however the bytes are cut', () => {
    const message = fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1 }),
        (messages, sizes) => {
          const bytes = Buffer.concat(messages.map(frame));
          const reader = new FrameReader();
          const read: Buffer[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const size = sizes[turn % sizes.length]!;
            reader.push(bytes.subarray(at, at + size));
            at += size;
            readAll(reader, read);
          }
          expect(read.map(String)).toEqual(messages.map(String));
          expect(reader.buffered).toBe(0);
        },
      ),
    );
  });

  test('tells the size of a message before its bytes are here', () => {
    const reader = new FrameReader();
    reader.push(frame(Buffer.alloc(70_000)).subarray(0, 6));

    expect(reader.next()).toBe('header');
    expect(reader.declared).toBe(70_000);
    expect(reader.next()).toBe('need-more');
  });

  test('reads a length above 2^31 as a positive number', () => {
    const reader = new FrameReader();
    reader.push(Buffer.from([0, 0xff, 0xff, 0xff, 0xff]));

    expect(reader.next()).toBe('header');
    expect(reader.declared).toBe(2 ** 32 - 1);
  });

  test('refuses a compressed message', () => {
    const reader = new FrameReader();
    reader.push(Buffer.from([1, 0, 0, 0, 0]));

    expect(reader.next()).toBe('compressed');
  });

  test('gives a message that came in one piece as a view of it', () => {
    const piece = frame(Buffer.from('abc'));
    const reader = new FrameReader();
    reader.push(piece);
    reader.next();
    reader.next();

    const body = reader.take();

    piece.fill('z');
    expect(body).toEqual({ length: 3, chunks: [Buffer.from('zzz')] });
  });

  test('gathers dribbled bytes into few pieces', () => {
    const reader = new FrameReader();
    const bytes = frame(Buffer.alloc(40_000, 'a'));
    for (const byte of bytes) reader.push(Buffer.from([byte]));
    reader.next();
    reader.next();

    const body = reader.take();

    expect(body.chunks.length).toBeLessThan(5);
    expect(Buffer.concat(body.chunks).equals(bytes.subarray(5))).toBe(true);
  });
});

function readAll(reader: FrameReader, into: Buffer[]): void {
  for (let event = reader.next(); event !== 'need-more'; event = reader.next()) {
    if (event === 'message') into.push(Buffer.concat(reader.take().chunks));
  }
}
