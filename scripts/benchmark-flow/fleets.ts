import { SCENARIOS } from '../../runtime/simulator/scenarios';
import { parseScenario, type Scenario } from '../../runtime/simulator/scenarios/scenario';

/**
 * Fleets whose limits differ: two kinds of pods, decoding, prompts, the KV cache, cached prefixes, adapters. Their rates are
 * not used.
 */
export const FLEETS: ReadonlyMap<string, Scenario> = new Map(
  [
    SCENARIOS.get('mixed-8b')!,
    SCENARIOS.get('mixed-32b')!,
    parseScenario({
      name: 'decode-bound',
      title: 'A 70B model on four pods that writes long answers to short questions.',
      basis: 'Prompts of 200 tokens and answers of 800 (CV 1 and 0.8); pods as in the engine profile.',
      fleet: [{ profile: 'llama-70b-4xh100', pods: 4 }],
      ratePerSecond: 1,
      rates: [1],
      arrivals: { process: 'poisson' },
      promptTokens: { kind: 'lognormal', mean: 200, cv: 1, max: 4096 },
      outputTokens: { kind: 'lognormal', mean: 800, cv: 0.8, max: 4096 },
      firstTokenLimitSeconds: 2,
    }),
    parseScenario({
      name: 'prefill-bound',
      title: 'An 8B model on four pods that reads long texts and answers in a few words.',
      basis: 'Prompts of 6,000 tokens (CV 0.8) and answers of 20 (CV 0.5); pods as in the engine profile.',
      fleet: [{ profile: 'llama-8b-h100', pods: 4 }],
      ratePerSecond: 1,
      rates: [1],
      arrivals: { process: 'poisson' },
      promptTokens: { kind: 'lognormal', mean: 6000, cv: 0.8, max: 32768 },
      outputTokens: { kind: 'lognormal', mean: 20, cv: 0.5, max: 256 },
      firstTokenLimitSeconds: 2,
    }),
    SCENARIOS.get('shared-prefix-8b')!,
    // Nobody looked at these when the room of the bands was chosen.
    SCENARIOS.get('homogeneous-8b')!,
    SCENARIOS.get('long-context')!,
    SCENARIOS.get('lora')!,
  ].map((scenario) => [scenario.name, scenario]),
);
