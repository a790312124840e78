import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import type { PolicyKind, ScrapeInterval } from '../../../../runtime/simulator/fleet/policy';
import { runFleet } from '../../../../runtime/simulator/fleet/run-fleet';
import type { RunResult } from '../../../../runtime/simulator/fleet/run-result';
import { POLICIES } from '../../../../runtime/simulator/policies';
import { scenarioRun } from '../../../../runtime/simulator/run/scenario-run';
import { parseScenario } from '../../../../runtime/simulator/scenarios/scenario';

/** A request and the pods chosen for it; none where it was refused. */
export interface Pick {
  readonly request: FleetRequest;
  readonly pods: readonly number[];
}

export interface ScenarioTrial extends RunResult {
  readonly picks: readonly Pick[];
  /** Share `quantile` (0..1) of the first-token times is at most this. Seconds. */
  ttft(quantile: number): number;
}

interface TrialOptions {
  readonly seed?: number;
  readonly scrapeSeconds?: number;
}

/** Prompts of 800 and answers of 200 tokens, about; 30 s of warm-up. */
const DEFAULTS = {
  name: 'trial',
  title: 'A short run.',
  basis: 'Sizes as of homogeneous-8b.',
  rates: [1],
  arrivals: { process: 'poisson' },
  promptTokens: { kind: 'lognormal', mean: 800, cv: 0.96, max: 12288 },
  outputTokens: { kind: 'lognormal', mean: 200, cv: 0.77, max: 2048 },
  firstTokenLimitSeconds: 2,
  warmupSeconds: 30,
};

/** Runs a scenario (fields as in its data file) by the policy of this name. */
export function runScenario(fields: object, name: string, options: TrialOptions = {}): ScenarioTrial {
  const { seed = 1, scrapeSeconds } = options;
  const picks: Pick[] = [];
  const interval: ScrapeInterval | undefined =
    scrapeSeconds === undefined ? undefined : { busySeconds: scrapeSeconds, idleSeconds: Math.max(1, scrapeSeconds) };
  const result = runFleet(
    scenarioRun(parseScenario({ ...DEFAULTS, ...fields }), {
      policy: noting(POLICIES[name]!, picks),
      seed,
      ...(interval !== undefined && { scrapeInterval: interval }),
    }),
  );
  const times = result.firstTokenSeconds;
  return { ...result, picks, ttft: (quantile) => times[Math.ceil(times.length * quantile) - 1]! };
}

function noting(kind: PolicyKind, picks: Pick[]): PolicyKind {
  return {
    ...kind,
    create(view) {
      const policy = kind.create(view);
      return {
        choose(request) {
          const choice = policy.choose(request);
          picks.push({ request, pods: typeof choice === 'object' && 'pods' in choice ? choice.pods : [] });
          return choice;
        },
      };
    },
  };
}
