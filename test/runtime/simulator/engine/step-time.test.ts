import { ENGINE_PROFILES } from '../../../../runtime/simulator/engine/profiles';
import { stepSeconds } from '../../../../runtime/simulator/engine/step-time';
import { blockIds, request, runUntilIdle, SMALL, smallEngine, timeOf } from './engine-trial';

test('a step costs overhead + the larger of weights and prefill + KV reads + sequences', () => {
  const parameters = { ...SMALL, stepOverheadSeconds: 1, kvReadSecondsPerToken: 0.5, perSequenceSeconds: 0.25 };
  expect(stepSeconds(parameters, { prefillTokens: 0, kvReadTokens: 4, sequences: 2 })).toBeCloseTo(1 + 0.01 + 2 + 0.5);
  expect(stepSeconds(parameters, { prefillTokens: 500, kvReadTokens: 0, sequences: 1 })).toBeCloseTo(1 + 0.5 + 0.25);
});

test('a mixture of experts reads more weights with more sequences, up to all', () => {
  const { parameters } = ENGINE_PROFILES['qwen3-235b-8xh100'];
  const step = (sequences: number) =>
    stepSeconds(parameters, { prefillTokens: 0, kvReadTokens: 0, sequences }) -
    sequences * parameters.perSequenceSeconds;
  expect(step(4)).toBeGreaterThan(step(1));
  expect(step(200)).toBeCloseTo(step(100), 9);
});

test.each([
  [0, 48 + 32],
  [1, 96 + 32],
  [0.25, 60 + 32],
])('with a cost of %s a shared block adds to the reads of each further sequence', (sharedReadCost, tokens) => {
  const engine = smallEngine({ kvReadSecondsPerToken: 0.001, sharedReadCost });
  for (const unique of [1, 2]) {
    engine.submit(0, request(unique, { promptTokens: 64, outputTokens: 1, blocks: blockIds(1, 3, 4, unique) }));
  }
  // Prefill of 64 + 16 tokens beside the reads.
  expect(timeOf(runUntilIdle(engine), 'finished', 1)).toBeCloseTo(0.08 + tokens / 1000, 9);
});
