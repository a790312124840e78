import { summaryText } from '../../../runtime/explain/summary-text';
import { decisionsOf, EXPLAINED, pickLine } from './recording-text';

test('counts what each scheduler decided, and compares its predictions with what came', () => {
  const decisions = decisionsOf(
    pickLine(1, { explanation: EXPLAINED }),
    pickLine(2),
    pickLine(3, { outcome: 'saturated' }),
    pickLine(4, { scheduler: 'ns/b' }),
    { end: 1, at: 2, firstToken: 0.24, predicted: 0.12 },
    { end: 2, at: 2, firstToken: 0.1, predicted: 0.2 },
    pickLine(5),
    { end: 5, at: 9, firstToken: 8, predicted: 0.2, pod: 'p2' },
  );
  expect(summaryText(decisions)).toBe(
    `ns/a: 4 decisions, 1 refused, 1 with their candidates; predicted / observed time to first token: median 2.00 of 2
ns/b: 1 decisions, 0 refused, 0 with their candidates; no prediction can be compared
`,
  );
});

test('a recording without decisions says so', () => {
  expect(summaryText(decisionsOf())).toBe('The recording has no decision.\n');
});
