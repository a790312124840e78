import type { EngineParameters } from '../../../../runtime/simulator/engine/parameters';
import type { FleetRequest } from '../../../../runtime/simulator/fleet/fleet-request';
import type { FleetRun, PodSpec } from '../../../../runtime/simulator/fleet/fleet-run';
import type { Choice, FleetView, HeldChoice, PolicyKind } from '../../../../runtime/simulator/fleet/policy';
import { SMALL } from '../engine/engine-trial';

/** A pod of 10 ms a step and 1,000 prompt tokens a second. */
export function smallPod(overrides: Partial<EngineParameters> = {}, absent = false): PodSpec {
  return { parameters: { ...SMALL, ...overrides }, absent };
}

export function smallPods(count: number, overrides: Partial<EngineParameters> = {}): PodSpec[] {
  return Array.from({ length: count }, () => smallPod(overrides));
}

/** A short request without a prefix unless given: one step for its prompt and one for each further token. */
export function fleetRequest(at: number, fields: Partial<FleetRequest> = {}): FleetRequest {
  return { at, promptTokens: 10, outputTokens: 2, blocks: [], prefixHashes: [], connection: 0, ...fields };
}

/** `count` requests, `gapSeconds` apart, the first at 0. */
export function requestsEvery(gapSeconds: number, count: number, fields: Partial<FleetRequest> = {}): FleetRequest[] {
  return Array.from({ length: count }, (_, i) => fleetRequest(i * gapSeconds, fields));
}

/** A policy by what it chooses. */
export function policyOf(choose: (request: FleetRequest, view: FleetView) => Choice | HeldChoice): PolicyKind {
  return {
    name: 'test',
    scrapeInterval: { busySeconds: 0.1, idleSeconds: 1 },
    create: (view) => ({ choose: (request) => choose(request, view) }),
  };
}

/** A run without warm-up, events or lost scrapes unless given. */
export function fleetRun(fields: Pick<FleetRun, 'pods' | 'workload' | 'policy'> & Partial<FleetRun>): FleetRun {
  return {
    events: [],
    warmupSeconds: 0,
    firstTokenLimitSeconds: 2,
    maxQueueTimeSeconds: 30,
    noticeSeconds: 1,
    network: { delaySeconds: 0.005, loss: 0 },
    seed: 1,
    ...fields,
  };
}
