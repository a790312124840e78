import type { EngineParameters } from '../engine/parameters';
import type { Workload } from './fleet-request';
import type { PolicyKind, ScrapeInterval } from './policy';
import type { ScrapeNetwork } from './simulated-scrapes';

/** One simulated run: a fleet, what happens to it, what it is asked, and how requests find their pod. */
export interface FleetRun {
  readonly pods: readonly PodSpec[];
  readonly events: readonly FleetEvent[];
  readonly workload: Workload;
  /** Requests that arrive before are sent but not counted. Seconds. */
  readonly warmupSeconds: number;
  /** An answer counts as good when its first token comes within this time of its arrival. Seconds. */
  readonly firstTokenLimitSeconds: number;
  /** From the loss of a pod until it is told as not ready. Seconds. */
  readonly noticeSeconds: number;
  /** `spec.overload.maxQueueTime` of the gateway. Seconds. */
  readonly maxQueueTimeSeconds: number;
  readonly network: ScrapeNetwork;
  readonly policy: PolicyKind;
  /** In place of the policy's own. */
  readonly scrapeInterval?: ScrapeInterval;
  /** Seeds everything but the workload: engines, scrapes, the policy's own chance. */
  readonly seed: number;
}

export interface PodSpec {
  readonly parameters: EngineParameters;
  /** Not there until a `pod-added` event. */
  readonly absent: boolean;
}

/** Times in seconds since the start; pods by number. */
export type FleetEvent =
  /** Its connections break, its requests fail, new ones are refused; `noticeSeconds` later it is not ready. */
  | { readonly kind: 'pod-lost'; readonly at: number; readonly pod: number }
  /** It is ready again, empty. */
  | { readonly kind: 'pod-returned' | 'pod-added'; readonly at: number; readonly pod: number }
  /** From now on its steps take `1 / factor` of their time. */
  | { readonly kind: 'speed'; readonly at: number; readonly pod: number; readonly factor: number }
  /** Scrapes are not answered, or are again. */
  | { readonly kind: 'metrics-outage' | 'metrics-return'; readonly at: number };
