import { ENGINE_PROFILES } from '../engine/profiles';
import { seededRandom } from '../engine/seeded-random';
import type { Workload } from '../fleet/fleet-request';
import type { FleetEvent, FleetRun } from '../fleet/fleet-run';
import type { PolicyKind } from '../fleet/policy';
import type { Scenario, ScenarioEvent } from '../scenarios/scenario';
import { generateWorkload } from '../workload/generate';
import { type EngineScale, scaleEngine } from './engine-scale';

export interface ScenarioRunOptions {
  readonly policy: PolicyKind;
  readonly seed: number;
  readonly scrapeInterval?: FleetRun['scrapeInterval'];
  readonly scale?: EngineScale;
  /** In place of the scenario's own requests. */
  readonly workload?: Workload;
}

const UNSCALED: EngineScale = { prefill: 1, decode: 1, kv: 1 };

/** A scenario as a run of a fleet. The same seed gives the same requests to every policy. */
export function scenarioRun(scenario: Scenario, options: ScenarioRunOptions): FleetRun {
  const { policy, seed, scrapeInterval, scale = UNSCALED, workload } = options;
  const added = new Set(scenario.events.flatMap((event) => (event.kind === 'pod-added' ? event.pods : [])));
  const pods = scenario.fleet.flatMap(({ profile, pods: count, overrides }) =>
    Array<typeof profile>(count)
      .fill(profile)
      .map((name) => scaleEngine({ ...ENGINE_PROFILES[name].parameters, ...overrides }, scale)),
  );
  return {
    pods: pods.map((parameters, number) => ({ parameters, absent: added.has(number) })),
    events: scenario.events.flatMap(fleetEvents),
    workload: workload ?? generateWorkload(scenario, { random: seededRandom(seed) }),
    warmupSeconds: scenario.warmupSeconds,
    firstTokenLimitSeconds: scenario.firstTokenLimitSeconds,
    noticeSeconds: scenario.noticeSeconds,
    maxQueueTimeSeconds: scenario.maxQueueTimeSeconds,
    network: scenario.scrape,
    policy,
    ...(scrapeInterval !== undefined && { scrapeInterval }),
    seed,
  };
}

/** One event a pod. */
function fleetEvents(event: ScenarioEvent): FleetEvent[] {
  if (!('pods' in event)) return [event];
  const { pods, ...rest } = event;
  return pods.map((pod) => ({ ...rest, pod }));
}
