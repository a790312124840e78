import fc from 'fast-check';
import { SendQueue } from '../../../../runtime/ext-proc/http2/send-queue';

test('gives back what was put in, in order, taken in whatever pieces', () => {
  const step = fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ push: Buffer.from(bytes) })),
    fc.nat(30).map((take) => ({ take })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new SendQueue();
      const pushed: Buffer[] = [];
      const taken: Buffer[] = [];
      const sink = { append: (bytes: Buffer) => taken.push(bytes) };
      for (const next of steps) {
        if ('push' in next) {
          pushed.push(next.push);
          queue.push(next.push);
        } else {
          queue.take(Math.min(next.take, queue.bytes), sink);
        }
      }
      queue.take(queue.bytes, sink);
      expect(Buffer.concat(taken)).toEqual(Buffer.concat(pushed));
      expect(queue.bytes).toBe(0);
    }),
  );
});

test('thousands of pieces are taken in order', () => {
  const queue = new SendQueue();
  for (let index = 0; index < 5_000; index++) queue.push(Buffer.from([index % 251]));
  const taken: number[] = [];

  while (queue.bytes > 0) queue.take(1, { append: (bytes) => taken.push(bytes[0]!) });

  expect(taken).toEqual(Array.from({ length: 5_000 }, (_, index) => index % 251));
});
