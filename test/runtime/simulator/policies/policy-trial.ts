import { type EngineMetrics, NO_METRICS } from '../../../../runtime/endpoint-picker/engine-metrics';
import type { MetricsSource, ScrapeTarget } from '../../../../runtime/endpoint-picker/metrics-source';
import type { Engine } from '../../../../runtime/simulator/engine/engine';
import { seededRandom } from '../../../../runtime/simulator/engine/seeded-random';
import type { FleetPod, FleetView, PodChoice, Policy, PolicyKind } from '../../../../runtime/simulator/fleet/policy';
import { fleetRequest } from '../fleet/fleet-trial';

interface TrialOptions {
  readonly seed?: number;
  readonly random?: () => number;
  /** What the oracle sees; default: looking throws. */
  readonly engines?: readonly Engine[];
  readonly prefillTokensPerSecond?: readonly number[];
}

/** A policy over pods without engines: the test moves time, readiness and scrapes itself. */
export interface PolicyTrial {
  readonly policy: Policy;
  now: number;
  setReady(pod: number, ready: boolean): void;
  /** A scrape of the pod that leaves now and is answered at once. */
  scrape(pod: number, metrics: Partial<EngineMetrics>): void;
  /** The first choice for a request; the test fails when there is none. */
  pick(fields?: Parameters<typeof fleetRequest>[1]): number;
  choice(fields?: Parameters<typeof fleetRequest>[1]): PodChoice;
}

export function policyTrial(kind: PolicyKind, pods: number, options: TrialOptions = {}): PolicyTrial {
  const { seed = 1, random = seededRandom(seed), engines, prefillTokensPerSecond } = options;
  const listeners: Array<() => void> = [];
  const targets = new Map<string, ScrapeTarget>();
  const ready = new Array<boolean>(pods).fill(true);
  const fleet = Array.from(
    { length: pods },
    (_, number): FleetPod => ({
      number,
      address: `10.0.0.${number}:8000`,
      name: `fleet/pod-${number}`,
      get ready() {
        return ready[number]!;
      },
      lost: false,
      get engine(): Engine {
        if (engines === undefined) throw new Error('a router cannot look into an engine');
        return engines[number]!;
      },
      get prefillTokensPerSecond(): number {
        if (prefillTokensPerSecond === undefined) throw new Error('a router does not know the speed of a pod');
        return prefillTokensPerSecond[number]!;
      },
      metrics() {
        throw new Error('a router sees metrics only through scrapes');
      },
    }),
  );
  const metrics: MetricsSource = {
    watch(target) {
      targets.set(target.address, target);
      target.paced(200);
      return { wake() {}, stop() {} };
    },
    close: () => Promise.resolve(),
  };
  const view: FleetView = {
    pods: fleet,
    now: () => trial.now,
    after() {
      throw new Error('no policy here waits');
    },
    random,
    maxQueueTimeSeconds: 30,
    onReadiness: (listener) => listeners.push(listener),
    metrics,
  };
  const trial: Omit<PolicyTrial, 'policy'> = {
    now: 0,
    setReady(pod, value) {
      ready[pod] = value;
      for (const listener of listeners) listener();
    },
    scrape(pod, metrics) {
      const target = targets.get(fleet[pod]!.address)!;
      target.sent();
      target.answered({ ...NO_METRICS, waiting: 0, running: 0, kvUsage: 0, ...metrics });
    },
    pick: (fields) => trial.choice(fields).pods[0]!,
    choice(fields) {
      const choice = policy.choose(fleetRequest(trial.now, fields));
      if (typeof choice === 'string') throw new Error(`no choice: ${choice}`);
      if (!('pods' in choice)) throw new Error('the request is held');
      return choice;
    },
  };
  const policy = kind.create(view);
  return Object.assign(trial, { policy });
}

/** How often each pod is the first choice of `count` requests, none of which ends. */
export function shares(trial: PolicyTrial, pods: number, count: number): number[] {
  const picks = new Array<number>(pods).fill(0);
  for (let i = 0; i < count; i++) picks[trial.pick()]! += 1;
  return picks;
}
