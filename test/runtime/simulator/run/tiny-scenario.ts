import { parseScenario, type Scenario } from '../../../../runtime/simulator/scenarios/scenario';

/** Two pods of unequal speed, a few seconds of requests: a run takes milliseconds. */
export const TINY: Scenario = parseScenario({
  name: 'tiny',
  title: 'Two pods for tests.',
  basis: 'Nothing real.',
  fleet: [
    { profile: 'llama-8b-h100', pods: 1 },
    { profile: 'llama-8b-a10g', pods: 1 },
  ],
  ratePerSecond: 5,
  rates: [2, 5, 8],
  arrivals: { process: 'poisson' },
  promptTokens: { kind: 'constant', tokens: 400 },
  outputTokens: { kind: 'constant', tokens: 20 },
  firstTokenLimitSeconds: 2,
  warmupSeconds: 1,
  arrivalSeconds: 20,
});
