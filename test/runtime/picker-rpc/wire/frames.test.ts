import fc from 'fast-check';
import { encodeFrame, FrameReader, MAX_PAYLOAD_BYTES } from '../../../../runtime/picker-rpc/wire/frames';
import { ProtocolFault } from '../../../../runtime/picker-rpc/wire/protocol-fault';

const fields = fc.array(
  fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.string(), fc.boolean(), fc.constant(null), fc.array(fc.nat())),
);

function readAll(chunks: readonly Buffer[]): unknown[] {
  const read: unknown[] = [];
  const reader = new FrameReader((message) => read.push(message));
  for (const chunk of chunks) reader.push(chunk);
  return read;
}

test('messages come out as they went in, however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fields), fc.array(fc.nat(40), { minLength: 1 }), (messages, sizes) => {
      const bytes = Buffer.concat(messages.map(encodeFrame));
      const chunks: Buffer[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length]! + 1;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      expect(readAll(chunks)).toEqual(messages);
    }),
  );
});

test('any bytes are messages or a fault of the protocol, never another error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (payload) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(payload.length);
      try {
        for (const message of readAll([Buffer.concat([length, payload])])) expect(Array.isArray(message)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolFault);
      }
    }),
  );
});

test('a frame that says it is larger than any message is a fault before its bytes are there', () => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(MAX_PAYLOAD_BYTES + 1);
  expect(() => readAll([length])).toThrow(ProtocolFault);
});

test('a list that promises more items than the frame has bytes is a fault, not an allocation', () => {
  const payload = Buffer.from([0xdd, 0x7f, 0xff, 0xff, 0xff]);
  expect(() => readAll([Buffer.concat([Buffer.from([0, 0, 0, payload.length]), payload])])).toThrow(ProtocolFault);
});

test('a message that no peer would take is not sent', () => {
  expect(() => encodeFrame(['x'.repeat(MAX_PAYLOAD_BYTES)])).toThrow(ProtocolFault);
});
