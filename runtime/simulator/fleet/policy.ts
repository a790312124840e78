import type { EngineMetrics } from '../../endpoint-picker/engine-metrics';
import type { MetricsSource } from '../../endpoint-picker/metrics-source';
import type { Engine } from '../engine/engine';
import type { FleetRequest } from './fleet-request';

/** How requests find their pod in a simulated fleet. One policy object is made for each run. */
export interface Policy {
  /** At once or later. */
  choose(request: FleetRequest): Choice | HeldChoice;
}

/** Pods, or why none: `'refused'` (429), `'expired'` (429 after a wait), `'no-endpoints'` (503). */
export type Choice = PodChoice | 'refused' | 'expired' | 'no-endpoints';

/** The request waits in the gateway. */
export interface HeldChoice {
  /** Calls `settled` once. To be called once and at once. */
  whenSettled(settled: (choice: Choice) => void): void;
}

export interface PodChoice {
  /** Tried in order until one takes the connection; a lost pod does not. At least one. */
  readonly pods: readonly number[];
  /** Told of what becomes of the request, as a router would be. */
  readonly ticket?: RequestTicket;
}

export interface RequestTicket {
  /** Another pod than the first of the list took the request. */
  served?(pod: number): void;
  /** Present only for a request whose first token is sampled. */
  firstToken?(): void;
  /** The answer has ended, or failed (`ok` false): the client's connection is free. */
  ended(ok: boolean): void;
}

/** What a policy may see. Times are seconds of the virtual clock. */
export interface FleetView {
  /** All pods that the run will ever have, in order of number. */
  readonly pods: readonly FleetPod[];
  now(): number;
  /** Does `work` after so many seconds, unless the returned function is called before. */
  after(seconds: number, work: () => void): () => void;
  /** The longest expected wait at which a gateway still takes a request. Seconds. */
  readonly maxQueueTimeSeconds: number;
  readonly random: () => number;
  /** Called after a pod became ready or ceased to be, as Kubernetes would tell it. */
  onReadiness(listener: () => void): void;
  /** Scrapes of the pods over the simulated network. */
  readonly metrics: MetricsSource;
}

export interface FleetPod {
  readonly number: number;
  /** `ip:port`, unique. */
  readonly address: string;
  readonly name: string;
  readonly ready: boolean;
  /** It refuses connections, whether that is known yet or not: for the oracle alone. */
  readonly lost: boolean;
  /** The engine itself, and its true speed at present: for the oracle alone. */
  readonly engine: Engine;
  readonly prefillTokensPerSecond: number;
  /** What its metrics page shows at this moment. */
  metrics(): EngineMetrics;
}

/** Seconds between two scrapes of a pod with requests in flight, and of one without. */
export interface ScrapeInterval {
  readonly busySeconds: number;
  readonly idleSeconds: number;
}

/** A policy by its name on the command line. */
export interface PolicyKind {
  readonly name: string;
  /** How often it scrapes unless the run says otherwise. */
  readonly scrapeInterval: ScrapeInterval;
  /** Makes the policy for one run. */
  create(view: FleetView): Policy;
}
