import type {
  PendingPick,
  PickedEndpoints,
  PickRequest,
  PickResult,
} from '../../../runtime/endpoint-picker/endpoint-picker';
import { type EndedDecision, explainingPicker } from '../../../runtime/explain/explaining-picker';
import { picked, REQUEST } from '../recording/support';
import { explanation } from './fixtures';

function rig(taken: boolean, result: PickResult | PendingPick) {
  const clock = { ms: 0 };
  const ended: EndedDecision[] = [];
  const asked: PickRequest[] = [];
  let givenBack = 0;
  const giveBack = () => {
    givenBack += 1;
  };
  const picker = explainingPicker(
    {
      pick(request) {
        asked.push(request);
        return result;
      },
    },
    {
      clock: () => clock.ms,
      modelName: (model) => `known ${model}`,
      takes: () => (taken ? { giveBack } : undefined),
      ended: (decision) => ended.push(decision),
    },
  );
  return { clock, ended, asked, picker, givenBack: () => givenBack };
}

const explained = (change: Partial<PickedEndpoints> = {}, ticket: Parameters<typeof picked>[0] = {}) => ({
  ...picked(ticket),
  explanation: explanation(),
  predictedTtftMs: 120,
  ...change,
});

test('a decision that is taken is explained, and told with how it turned out once it is over', () => {
  const { clock, ended, asked, picker } = rig(true, explained());
  const result = picker.pick(REQUEST) as PickedEndpoints;
  expect([asked[0]!.explain, result.sampleFirstToken]).toEqual([true, true]);
  clock.ms = 150;
  result.ticket.served('10.0.0.2:8000', 2);
  result.ticket.firstToken();
  clock.ms = 400;
  result.ticket.done(200);
  result.ticket.done(500);
  expect(ended).toEqual([
    {
      scheduler: 'ns/a',
      model: 'known a-model',
      endpoint: '10.0.0.1:8000',
      servedBy: '10.0.0.2:8000',
      status: 200,
      pickMs: 0,
      durationMs: 400,
      predictedTtftMs: 120,
      observedTtftMs: 150,
      explanation: explanation(),
    },
  ]);
});

test('a decision that nobody takes or watches is passed on as it is', () => {
  const result = explained();
  const { asked, picker } = rig(false, result);
  expect(picker.pick(REQUEST)).toBe(result);
  expect(asked[0]).toBe(REQUEST);
});

test('a first token that the picker watches is told, without the explanation that others had asked for', () => {
  const { ended, picker } = rig(false, explained({ sampleFirstToken: true }));
  const result = picker.pick(REQUEST) as PickedEndpoints;
  result.ticket.firstToken();
  result.ticket.done(200);
  expect(ended[0]).toMatchObject({ predictedTtftMs: 120, observedTtftMs: 0 });
  expect(ended[0]).not.toHaveProperty('explanation');
});

test('the picker hears of a first token only where it asked for it', () => {
  const heard: string[] = [];
  const ticket = {
    firstToken: () => heard.push('first token'),
    served: (...args: unknown[]) => heard.push(`served ${args.join(' ')}`),
  };
  const unasked = rig(true, explained({}, ticket)).picker.pick(REQUEST) as PickedEndpoints;
  unasked.ticket.firstToken();
  unasked.ticket.served('10.0.0.1:8000', 1, 200);
  expect(heard).toEqual(['served 10.0.0.1:8000 1 200']);
  const asked = rig(true, explained({ sampleFirstToken: true }, ticket)).picker.pick(REQUEST) as PickedEndpoints;
  asked.ticket.firstToken();
  expect(heard).toEqual(['served 10.0.0.1:8000 1 200', 'first token']);
});

test('of a request that was held the time until the decision is told, and times count from the decision on', async () => {
  let decide: (result: PickResult) => void = () => {};
  let cancelled = 0;
  const result = new Promise<PickResult>((resolve) => {
    decide = resolve;
  });
  const { clock, ended, picker } = rig(true, { result, cancel: () => cancelled++ });
  const pending = picker.pick(REQUEST) as PendingPick;
  clock.ms = 1000;
  decide(explained());
  const settled = (await pending.result) as PickedEndpoints;
  clock.ms = 1100;
  settled.ticket.firstToken();
  settled.ticket.done(200);
  pending.cancel();
  expect(ended[0]).toMatchObject({ pickMs: 1000, observedTtftMs: 100, durationMs: 100 });
  expect(cancelled).toBe(1);
});

test('a refusal is passed on', () => {
  const refusal: PickResult = { outcome: 'saturated', retryAfterSeconds: 3 };
  expect(rig(true, refusal).picker.pick(REQUEST)).toBe(refusal);
});

test('the turn to be told is given back where the request is refused, at once, later or by a fault', async () => {
  const refusal: PickResult = { outcome: 'expired', retryAfterSeconds: 3 };
  const cancel = () => {};
  const outcomes = [
    refusal,
    { result: Promise.resolve(refusal), cancel },
    { result: Promise.reject<PickResult>(new Error('fault')), cancel },
  ];
  for (const outcome of outcomes) {
    const { picker, givenBack } = rig(true, outcome);
    const result = picker.pick(REQUEST);
    if ('result' in result) await result.result.catch(() => {});
    expect(givenBack()).toBe(1);
  }
  const good = rig(true, explained());
  good.picker.pick(REQUEST);
  expect(good.givenBack()).toBe(0);
});
