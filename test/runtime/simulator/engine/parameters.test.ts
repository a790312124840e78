import { type EngineParameters, parameterFaults } from '../../../../runtime/simulator/engine/parameters';
import { SMALL } from './engine-trial';

test('good parameters have no faults', () => {
  expect(parameterFaults(SMALL)).toEqual([]);
});

test.each<[Partial<EngineParameters>, string]>([
  [{ stepOverheadSeconds: -1 }, 'stepOverheadSeconds: expected a number of 0 or more, got -1'],
  [{ frontEndSeconds: Number.NaN }, 'frontEndSeconds: expected a number, got NaN'],
  [{ maxNumSeqs: 1.5 }, 'maxNumSeqs: expected a whole number, got 1.5'],
  [{ kvTokens: 15 }, 'kvTokens: expected at least 16, got 15'],
  [{ prefillTokensPerSecond: 0 }, 'prefillTokensPerSecond: must be above 0, got 0'],
  [{ stepSpread: 1 }, 'stepSpread: must be below 1, got 1'],
  [{ sharedReadCost: 1.1 }, 'sharedReadCost: must be at most 1, got 1.1'],
])('%o is refused by name', (change, fault) => {
  expect(parameterFaults({ ...SMALL, ...change })).toEqual([fault]);
});
