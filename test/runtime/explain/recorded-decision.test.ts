import { observedTtft, predictedTtft, recordedDecisions, ttftRatio } from '../../../runtime/explain/recorded-decision';
import { decisionsOf, EXPLAINED, pickLine } from './recording-text';

test('a decision comes with the end of its request, where there is one', () => {
  const [one, two] = decisionsOf(pickLine(1), pickLine(2), { end: 2, at: 3, status: 200 });
  expect([one!.end, two!.end]).toEqual([undefined, { end: 2, at: 3, status: 200 }]);
});

test('numbers begin anew with each router that wrote to the file', () => {
  const again = { recording: 1, gateway: 'ns/gw', created: '2026-01-01T00:01:00.000Z' } as const;
  const decisions = decisionsOf(pickLine(1), again, pickLine(1), { end: 1, at: 1, status: 200 });
  expect(decisions.map(({ run, end }) => [run, end?.status])).toEqual([
    [1, undefined],
    [2, 200],
  ]);
});

test('times to the first token count from the decision on', () => {
  const [decision] = decisionsOf(pickLine(1, { waited: 2 }), { end: 1, at: 4, firstToken: 2.5, predicted: 0.4 });
  expect([observedTtft(decision!), predictedTtft(decision!)]).toEqual([0.5, 0.4]);
});

test('a decision whose end is missing has the prediction of its explanation, and one of an old recording has none', () => {
  const [explained, old] = decisionsOf(pickLine(1, { explanation: EXPLAINED }), pickLine(2));
  expect([predictedTtft(explained!), predictedTtft(old!), observedTtft(old!)]).toEqual([0.12, undefined, undefined]);
});

test('a prediction is compared with what came, but not where another pod served', () => {
  const end = { end: 1, at: 4, firstToken: 0.8, predicted: 0.4 };
  const [stayed] = decisionsOf(pickLine(1), end);
  const [moved] = decisionsOf(pickLine(1), { ...end, pod: 'p2' });
  expect([ttftRatio(stayed!), ttftRatio(moved!)]).toEqual([0.5, undefined]);
});

test('an empty file is no recording', () => {
  expect(() => recordedDecisions([])).toThrow('holds no recording');
});
