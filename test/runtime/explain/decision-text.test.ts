import { decisionText } from '../../../runtime/explain/decision-text';
import type { RecordingLine } from '../../../runtime/recording/recording-line';
import { decisionsOf, EXPLAINED, pickLine } from './recording-text';

const PLAIN = { bold: (text: string) => text, dim: (text: string) => text };
const text = (...lines: RecordingLine[]) => decisionText(decisionsOf(...lines)[0]!, PLAIN);

test('shows the candidates with their scores, the winner, the runner-up, and how the prediction turned out', () => {
  const end = { end: 1, at: 2, firstToken: 0.15, predicted: 0.12, status: 200 };
  expect(text(pickLine(1, { explanation: EXPLAINED }), end)).toBe(
    `pick 1  ns/a at 0.100 s · 4000 bytes of prompt
picked p1, status 200
first token: predicted 120 ms, observed 150 ms: ratio 0.80
pod  total  queue x2  prefix x1  cached  predicted
p1    2.40      1.00       0.40    6/15     120 ms
p2    1.50      0.75       0.00    0/15     1.50 s
p1 before p2 by 0.90
left out: p3 (stale)
`,
  );
});

test('a decision without its candidates is told as far as it is known', () => {
  const lines = text(pickLine(1, { matched: 3, adapter: 'a1', maxOutputTokens: 20 })).split('\n');
  expect(lines).toEqual([
    'pick 1  ns/a at 0.100 s · 4000 bytes of prompt, adapter a1, at most 20 tokens',
    'picked p1, its end was not recorded',
    'first token: not predicted, not watched for',
    'cached blocks of the prompt there: 3',
    'Its candidates were not recorded: one decision in 16 is, and those whose client asks.',
    '',
  ]);
});

test('a refusal says what it was, and after which wait', () => {
  const { pod: _none, ...refused } = pickLine(1, { outcome: 'expired', waited: 10 });
  expect(text(refused)).toContain('refused: expired after 10.00 s\n');
});

test('a request that was held and served elsewhere says so', () => {
  const explanation = { ...EXPLAINED, held: { seconds: 2.5, band: 'sheddable' } };
  const end = { end: 1, at: 9, pod: 'p2' };
  expect(text(pickLine(1, { explanation }), end)).toContain(
    'picked p1 after 2.50 s in band sheddable, served by p2, status none: no response\n',
  );
});

test('where another pod served, the prediction is named as that of the first, without a ratio', () => {
  const end = { end: 1, at: 9, firstToken: 20, pod: 'p2' };
  expect(text(pickLine(1, { explanation: EXPLAINED }), end)).toContain(
    'first token: predicted 120 ms of p1, observed 20.00 s\n',
  );
});

test('equal totals and an only candidate are not called a lead', () => {
  const [one, two] = EXPLAINED.candidates;
  const equal = { ...EXPLAINED, candidates: [one!, { ...two!, total: 2.4 }] };
  expect(text(pickLine(1, { explanation: equal }))).toContain(
    'p1 before p2: as good, so the less busy one, or chance\n',
  );
  const only = { ...EXPLAINED, candidates: [one!] };
  expect(text(pickLine(1, { explanation: only }))).toContain('p1 was the only candidate\n');
});

test('what an explanation does not list is counted', () => {
  const many = text(pickLine(1, { explanation: { ...EXPLAINED, moreCandidates: 84, moreLeftOut: 5 } }));
  expect(many).toContain('and 84 more candidates\n');
  expect(many).toContain('left out: p3 (stale) and 5 more\n');
});
