import type { PendingPick, PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import { recordingPicker } from '../../../runtime/recording/recording-picker';
import { memoryRecorder, picked, REQUEST } from './support';

function rig(result: PickResult | PendingPick) {
  const memory = memoryRecorder();
  return { ...memory, picker: recordingPicker({ pick: () => result }, memory.recorder) };
}

test('the ticket is told all that it would be without the recording, and its end is recorded once', () => {
  const heard: unknown[] = [];
  const { picker, clock, lines } = rig(
    picked({
      served: (address) => heard.push(address),
      firstToken: () => heard.push('first token'),
      done: (status) => heard.push(status),
    }),
  );
  const result = picker.pick(REQUEST) as ReturnType<typeof picked>;
  expect(result).toMatchObject({ endpoints: picked().endpoints, matchedBlocks: 2 });
  clock.ms += 200;
  result.ticket.served('10.0.0.2:8000');
  result.ticket.firstToken();
  clock.ms += 300;
  result.ticket.firstToken();
  result.ticket.done(200);
  result.ticket.done(500);
  expect(heard).toEqual(['10.0.0.2:8000', 'first token', 'first token', 200, 500]);
  expect(lines().slice(3)).toEqual([{ end: 1, at: 0.5, firstToken: 0.2, status: 200, pod: 'p2' }]);
});

test('a decision that takes time is recorded at the time of its request', async () => {
  let decide: (result: PickResult) => void = () => {};
  const { picker, clock, lines } = rig({
    result: new Promise((resolve) => {
      decide = resolve;
    }),
    cancel() {},
  });
  const pending = picker.pick(REQUEST) as PendingPick;
  clock.ms += 1000;
  decide(picked());
  await pending.result;
  expect(lines()[2]).toMatchObject({ pick: 1, at: 0 });
});

test('a refusal, and a decision that found no room, are passed on as they are', () => {
  const refusal: PickResult = { outcome: 'saturated', retryAfterSeconds: 3 };
  expect(rig(refusal).picker.pick(REQUEST)).toBe(refusal);
  const result = picked();
  const full = rig(result);
  full.clock.room = false;
  expect(full.picker.pick(REQUEST)).toBe(result);
});
