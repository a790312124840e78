import { ENGINE_PROFILES } from '../../../../runtime/simulator/engine/profiles';
import { stepSeconds } from '../../../../runtime/simulator/engine/step-time';
import { SMALL } from './engine-trial';

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
