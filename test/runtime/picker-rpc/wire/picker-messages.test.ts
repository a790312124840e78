import { decode } from '@msgpack/msgpack';
import fc from 'fast-check';
import type { PickedEndpoints } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { decodePickerMessage, frames, type PickerMessage } from '../../../../runtime/picker-rpc/wire/picker-messages';
import { ProtocolFault } from '../../../../runtime/picker-rpc/wire/protocol-fault';

const TICKET = { served() {}, firstToken() {}, done() {} };

function sent(frame: Buffer): PickerMessage {
  return decodePickerMessage(decode(frame.subarray(4)) as unknown[]);
}

test('a pick crosses with all but its ticket', () => {
  const picked = {
    outcome: 'picked',
    endpoints: ['10.0.0.1:80', '[::1]:80'],
    matchedBlocks: 4,
    predictedTtftMs: 12.5,
    sampleFirstToken: true,
    explanation: { winner: 'a', scores: [1, 2.5] },
  } as unknown as PickedEndpoints;
  expect(sent(frames.picked(7, { ...picked, ticket: TICKET }))).toEqual({ type: 'picked', id: 7, picked });
});

test('an explanation that is too large is left out, and the pick crosses', () => {
  const huge = { outcome: 'picked', endpoints: ['x:1'], ticket: TICKET, explanation: 'x'.repeat(1_000_000) };
  expect(sent(frames.picked(7, huge as unknown as PickedEndpoints))).toEqual({
    type: 'picked',
    id: 7,
    picked: { outcome: 'picked', endpoints: ['x:1'], matchedBlocks: 0 },
  });
});

test('the other messages cross as they are', () => {
  const refused = { outcome: 'queue-full', retryAfterSeconds: 3 } as const;
  expect(sent(frames.refused(1, refused))).toEqual({ type: 'refused', id: 1, refused });
  expect(sent(frames.queued(1))).toEqual({ type: 'queued', id: 1 });
  expect(sent(frames.undecided(1))).toEqual({ type: 'undecided', id: 1 });
  expect(sent(frames.pong())).toEqual({ type: 'pong' });
  expect(sent(frames.goodbye())).toEqual({ type: 'goodbye' });
  expect(sent(frames.warm())).toEqual({ type: 'warm' });
  expect(sent(frames.ready(['default/a']))).toEqual({ type: 'ready', schedulers: ['default/a'] });
  expect(sent(frames.reject('why'))).toEqual({ type: 'reject', reason: 'why' });
});

test('any list is a message or a fault of the protocol', () => {
  fc.assert(
    fc.property(fc.nat(10), fc.array(fc.oneof(fc.anything(), fc.nat(10))), (type, rest) => {
      try {
        decodePickerMessage([type, ...rest]);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolFault);
      }
    }),
  );
});
