import fc from 'fast-check';
import { bodyOf } from '../../../runtime/body-router/body/span';
import { GatheredBody } from '../../../runtime/gie-picker/gathered-body';

test('a body is the bytes of its chunks in order, whatever their sizes', () => {
  const sizes = fc.oneof(fc.nat(20), fc.integer({ min: 4000, max: 20_000 }));
  fc.assert(
    fc.property(fc.array(sizes, { maxLength: 30 }), (lengths) => {
      const chunks = lengths.map((length, index) => Buffer.alloc(length, index + 1));
      const gathered = new GatheredBody();
      for (const chunk of chunks) gathered.push(bodyOf([chunk]));
      const whole = Buffer.concat(chunks);
      expect(gathered.length).toBe(whole.length);
      const body = gathered.take();
      expect(body.length).toBe(whole.length);
      expect(Buffer.concat(body.chunks).equals(whole)).toBe(true);
    }),
  );
});

test('single bytes are kept together, not one object each', () => {
  const gathered = new GatheredBody();
  for (let index = 0; index < 40_000; index++) gathered.push(bodyOf([Buffer.from([index & 255])]));
  expect(gathered.take().chunks.length).toBeLessThan(20);
});

test('a body that stops after one byte keeps no large block for it', () => {
  const gathered = new GatheredBody();
  gathered.push(bodyOf([Buffer.from('{')]));
  expect(gathered.take().chunks[0]!.buffer.byteLength).toBe(1);
});

test('a large chunk is kept as it came', () => {
  const chunk = Buffer.alloc(5000);
  const gathered = new GatheredBody();
  gathered.push(bodyOf([chunk]));
  expect(gathered.take().chunks[0]).toBe(chunk);
});
