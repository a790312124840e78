import { decisionLine } from '../../../runtime/explain/decision-line';
import { explainedCandidate, explanation } from './fixtures';

test('names the chosen pods, best first, with totals and scores', () => {
  expect(decisionLine(explanation())).toBe(
    'llama-0 3.00 (queue 1.00 kvCache 0.80) > llama-1 2.00 (queue 1.00 kvCache 0.80)',
  );
});

test('shows which of them are equal', () => {
  const candidates = [2, 2, 1].map((total, i) => explainedCandidate(i, { total, scores: {} }));
  expect(decisionLine(explanation({ candidates }))).toBe('llama-0 2.00 = llama-1 2.00 > llama-2 1.00');
});

test('a pod whose total is higher, but counts as equal, may come after', () => {
  const candidates = [1.98, 2].map((total, i) => explainedCandidate(i, { total, scores: {} }));
  expect(decisionLine(explanation({ candidates }))).toBe('llama-0 1.98 ~ llama-1 2.00');
});

test('names the choice and its fallbacks alone', () => {
  const candidates = [0, 1, 2, 3].map((number) => explainedCandidate(number));
  expect(decisionLine(explanation({ candidates }))).not.toContain('llama-3');
});

test('is at most 1 KiB of printable ASCII', () => {
  const candidates = [0, 1, 2].map((i) => explainedCandidate(i, { pod: `models/é\r\n${'x'.repeat(600)}${i}` }));
  const line = decisionLine(explanation({ candidates }));
  expect(line.length).toBeLessThanOrEqual(1024);
  expect(line).toMatch(/^[\x20-\x7e]*$/);
});
