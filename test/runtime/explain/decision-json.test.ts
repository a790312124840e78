import { decisionJson } from '../../../runtime/explain/decision-json';
import { decisionsOf, EXPLAINED, pickLine } from './recording-text';

test('is one line with what is known of the decision, without the sealed prompt', () => {
  const pick = pickLine(1, { explanation: EXPLAINED, prefix: 'AAAA', matched: 6 });
  const line = decisionJson(decisionsOf(pick, { end: 1, at: 2, firstToken: 0.15, predicted: 0.12, status: 200 })[0]!);
  const { prefix: _sealed, ...told } = pick;
  expect(line.indexOf('\n')).toBe(line.length - 1);
  expect(JSON.parse(line)).toEqual({
    run: 1,
    ...told,
    predictedTtft: 0.12,
    observedTtft: 0.15,
    status: 200,
    endedAt: 2,
  });
});
