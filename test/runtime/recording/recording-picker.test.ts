import type { PendingPick, PickResult } from '../../../runtime/endpoint-picker/endpoint-picker';
import { recordingPicker } from '../../../runtime/recording/recording-picker';
import { explanation } from '../explain/fixtures';
import { memoryRecorder, picked, REQUEST } from './support';

function rig(result: PickResult | PendingPick) {
  const memory = memoryRecorder();
  return { ...memory, picker: recordingPicker({ pick: () => result }, memory.recorder) };
}

const watchedByPicker = (ticket: Parameters<typeof picked>[0]) => ({ ...picked(ticket), sampleFirstToken: true });

test('the ticket is told all that it would be without the recording, and its end is recorded once', () => {
  const heard: unknown[] = [];
  const { picker, clock, lines } = rig(
    watchedByPicker({
      served: (...args) => heard.push(args),
      firstToken: () => heard.push('first token'),
      done: (status) => heard.push(status),
    }),
  );
  const result = picker.pick(REQUEST) as ReturnType<typeof picked>;
  expect(result).toMatchObject({ endpoints: picked().endpoints, matchedBlocks: 2 });
  clock.ms += 200;
  result.ticket.served('10.0.0.2:8000', 2, 200);
  result.ticket.firstToken();
  clock.ms += 300;
  result.ticket.firstToken();
  result.ticket.done(200);
  result.ticket.done(500);
  expect(heard).toEqual([['10.0.0.2:8000', 2, 200], 'first token', 'first token', 200, 500]);
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

describe('explanations', () => {
  const explained = (ticket: Parameters<typeof picked>[0] = {}) => ({
    ...picked(ticket),
    explanation: explanation(),
    predictedTtftMs: 120,
  });

  function asking() {
    const memory = memoryRecorder();
    const asked: boolean[] = [];
    const picker = recordingPicker(
      {
        pick(request) {
          asked.push(request.explain);
          return explained();
        },
      },
      memory.recorder,
    );
    return { ...memory, asked, picker };
  }

  test('one decision in 16 is recorded with its candidates', () => {
    const { asked, picker, lines } = asking();
    for (let i = 0; i < 33; i++) picker.pick(REQUEST);
    const places = (values: unknown[]) => values.flatMap((value, i) => (value ? i : []));
    expect(places(asked)).toEqual([0, 16, 32]);
    expect(
      places(
        lines()
          .slice(2)
          .map((line) => 'explanation' in line),
      ),
    ).toEqual([0, 16, 32]);
  });

  test('so is one whose client asks', () => {
    const { picker, lines } = asking();
    picker.pick(REQUEST);
    picker.pick({ ...REQUEST, explain: true });
    expect(lines().at(-1)).toMatchObject({ explanation: { candidates: [{ total: 3 }, { total: 2 }] } });
  });

  test('the first token of an explained decision is watched for, and the picker hears of it only where it asked', () => {
    const heard: string[] = [];
    const { picker, clock, lines } = rig(explained({ firstToken: () => heard.push('first token') }));
    const result = picker.pick(REQUEST) as ReturnType<typeof picked>;
    expect(result.sampleFirstToken).toBe(true);
    clock.ms += 150;
    result.ticket.firstToken();
    result.ticket.done(200);
    expect(heard).toEqual([]);
    expect(lines().at(-1)).toEqual({ end: 1, at: 0.15, firstToken: 0.15, predicted: 0.12, status: 200 });
  });

  test('a decision for which a request was held says how long', async () => {
    const { picker, clock, lines } = rig({ result: Promise.resolve(explained()), cancel() {} });
    const pending = picker.pick(REQUEST) as PendingPick;
    clock.ms += 2000;
    await pending.result;
    expect(lines().at(-1)).toMatchObject({ at: 0, waited: 2 });
  });

  test('a held request can be given up through the recording', () => {
    let cancelled = 0;
    const { picker } = rig({ result: new Promise(() => {}), cancel: () => cancelled++ });
    (picker.pick(REQUEST) as PendingPick).cancel();
    expect(cancelled).toBe(1);
  });
});
