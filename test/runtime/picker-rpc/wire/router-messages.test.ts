import { decode } from '@msgpack/msgpack';
import fc from 'fast-check';
import type { PickRequest } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { ProtocolFault } from '../../../../runtime/picker-rpc/wire/protocol-fault';
import { decodeRouterMessage, frames, type RouterMessage } from '../../../../runtime/picker-rpc/wire/router-messages';

const count = fc.maxSafeInteger().map(Math.abs);
const name = fc.string({ minLength: 1, maxLength: 40 });
const request: fc.Arbitrary<PickRequest> = fc
  .record(
    {
      scheduler: name,
      model: name,
      promptBytes: fc.nat(),
      prefixHashes: fc.array(count, { maxLength: 20 }),
      explain: fc.boolean(),
      adapter: name,
      maxOutputTokens: fc.nat(),
      priority: fc.integer(),
      tenant: name,
      bodyBytes: fc.nat(),
      heldMs: fc.nat(),
      subset: fc.array(name, { maxLength: 3 }),
      answers: fc.nat(),
    },
    { requiredKeys: ['scheduler', 'model', 'promptBytes', 'prefixHashes', 'explain'] },
  )
  .map((record) => record as PickRequest);

function sent(frame: Buffer): RouterMessage {
  return decodeRouterMessage(decode(frame.subarray(4)) as unknown[]);
}

test('a pick crosses with every fact of the request', () => {
  fc.assert(
    fc.property(count, request, (id, one) => {
      expect(sent(frames.pick(id, one))).toEqual({ type: 'pick', id, request: one });
    }),
  );
});

test('the other messages cross as they are', () => {
  const entry = {
    id: 3,
    scheduler: 'a/b',
    adapter: undefined,
    promptBytes: 5,
    maxOutputTokens: 7,
    address: '10.0.0.1:80',
    answered: true,
  };
  expect(sent(frames.snapshot([entry], true))).toEqual({ type: 'snapshot', entries: [entry], last: true });
  expect(sent(frames.cancel(1))).toEqual({ type: 'cancel', id: 1 });
  const served = { type: 'served', id: 1, address: 'x:1', attempts: 2, status: 200 };
  expect(sent(frames.served(1, 'x:1', 2, 200))).toEqual(served);
  const unknown = { ...served, address: undefined, status: undefined };
  expect(sent(frames.served(1, undefined, 2, undefined))).toEqual(unknown);
  expect(sent(frames.firstToken(1))).toEqual({ type: 'first-token', id: 1 });
  expect(sent(frames.done(1, 200))).toEqual({ type: 'done', id: 1, status: 200 });
  expect(sent(frames.done(1, undefined))).toEqual({ type: 'done', id: 1, status: undefined });
  expect(sent(frames.ping())).toEqual({ type: 'ping' });
});

test('what holds the body does not cross', () => {
  const one: PickRequest = {
    scheduler: 'a/b',
    model: 'm',
    promptBytes: 1,
    prefixHashes: [],
    explain: false,
    tokenizable: () => undefined,
    tokens: { tokens: new Uint32Array(1) } as never,
  };
  const message = sent(frames.pick(1, one)) as RouterMessage & { type: 'pick' };
  expect(Object.keys(message.request).sort()).toEqual(['explain', 'model', 'prefixHashes', 'promptBytes', 'scheduler']);
});

test('a name of a client that is too long is cut, a number that is none is bounded', () => {
  const one = { scheduler: 'a/b', promptBytes: 1, prefixHashes: [], explain: false };
  const message = sent(
    frames.pick(1, { ...one, model: 'm'.repeat(5_000), maxOutputTokens: Number.POSITIVE_INFINITY }),
  ) as RouterMessage & { type: 'pick' };
  expect(message.request.model).toHaveLength(1_024);
  expect(message.request.maxOutputTokens).toBe(Number.MAX_SAFE_INTEGER);
});

test('any list is a message or a fault of the protocol', () => {
  const part = fc.oneof(fc.anything(), fc.nat(10), fc.uint8Array());
  fc.assert(
    fc.property(fc.nat(9), fc.array(part), (type, rest) => {
      try {
        decodeRouterMessage([type, ...rest]);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolFault);
      }
    }),
  );
});

test('hashes that are none are a fault', () => {
  const parts = decode(
    frames.pick(1, { scheduler: 'a/b', model: 'm', promptBytes: 1, prefixHashes: [0.5], explain: false }).subarray(4),
  );
  expect(() => decodeRouterMessage(parts as unknown[])).toThrow(ProtocolFault);
});
