import { explanationSchema, recordedExplanation } from '../../../runtime/recording/recorded-explanation';
import { explainedCandidate, explanation } from '../explain/fixtures';

const numberOf = (address: string) => `p${address.split('.')[3]!.split(':')[0]}`;

test('holds the candidates by number, with scores, weights and times in seconds', () => {
  expect(recordedExplanation(explanation(), numberOf)).toEqual({
    weights: { queue: 2, kvCache: 1 },
    candidates: [
      { pod: 'p0', total: 3, scores: { queue: 1, kvCache: 0.8 }, matched: 2, predicted: 0.12 },
      { pod: 'p1', total: 2, scores: { queue: 1, kvCache: 0.8 }, matched: 2, predicted: 0.12 },
    ],
    promptBlocks: 8,
  });
});

test('holds no name and no address, and can be read again', () => {
  const recorded = recordedExplanation(
    explanation({
      moreCandidates: 4,
      leftOut: [{ pod: 'models/llama-9', address: '10.0.0.9:8000', reason: 'stale' }],
      moreLeftOut: 3,
      held: { ms: 1500, band: 'sheddable' },
    }),
    numberOf,
  );
  expect(recorded).toMatchObject({
    moreCandidates: 4,
    leftOut: [{ pod: 'p9', reason: 'stale' }],
    moreLeftOut: 3,
    held: { seconds: 1.5, band: 'sheddable' },
  });
  expect(JSON.stringify(recorded)).not.toMatch(/llama|10\.0/);
  expect(explanationSchema.parse(JSON.parse(JSON.stringify(recorded)))).toEqual(recorded);
});

test('a time that is not known is left out', () => {
  const { predictedTtftMs: _none, ...candidate } = explainedCandidate(0);
  const recorded = recordedExplanation(explanation({ candidates: [candidate] }), numberOf);
  expect(recorded.candidates[0]).not.toHaveProperty('predicted');
});
