import { pino } from 'pino';
import type { KubernetesObject } from '../../../../lib/translate/cluster/kubernetes-object';
import { untilAborted } from '../../../../runtime/kubernetes/abort-scope';
import type { ApiClient, Resource } from '../../../../runtime/kubernetes/api-client';
import { ApiError } from '../../../../runtime/kubernetes/api-error';
import type { Clock } from '../../../../runtime/kubernetes/clock';
import {
  type LeaderElection,
  type LeaderElectionOptions,
  startLeaderElection,
} from '../../../../runtime/kubernetes/leader-election';
import type { VirtualClock } from '../../../support/clocks';
import type { FakeCluster } from '../../../support/fake-api-server/fake-cluster';
import { Refusal } from '../../../support/fake-api-server/refusal';

export interface CandidateClock {
  /** Milliseconds that its clock differs from the others'. */
  readonly offset?: number;
  /** How fast its clock runs. */
  readonly rate?: number;
  readonly seed?: number;
  /** Default: TIMES. */
  readonly times?: ElectionTimes;
}

type ElectionTimes = Pick<LeaderElectionOptions, 'leaseMs' | 'renewMs' | 'retryMs'>;

export const TIMES: ElectionTimes = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

/** A process that wants to lead, with a clock of its own, that can stand still, be cut off, or be far away. */
export class Candidate {
  election: LeaderElection;
  readonly requests: string[] = [];
  /** `started`, `aborted` (the signal of the term), `stopped`. */
  readonly terms: string[] = [];
  /** It stands still until then. Milliseconds. */
  pauseUntil = 0;
  /** Requests arrive nowhere and are never answered. */
  isCutOff = false;
  /** Milliseconds on the way to the server and back. */
  delays = { request: 1, answer: 1 };
  /** Its work takes until then to end. */
  stopping: Promise<void> = Promise.resolve();
  private controller = new AbortController();
  private starts = 0;
  private state: number;

  constructor(
    readonly name: string,
    private readonly time: VirtualClock,
    private readonly cluster: FakeCluster,
    private readonly settings: CandidateClock,
  ) {
    this.state = settings.seed ?? 1;
    this.election = this.start();
  }

  /** In order. */
  stop(): void {
    this.controller.abort(new Error('stopped'));
  }

  /** Killed without a word, and started anew. */
  restart(): void {
    const dead = this.controller;
    this.controller = new AbortController();
    const { isCutOff } = this;
    this.election = this.start();
    this.isCutOff = isCutOff;
    this.dead.add(dead.signal);
  }

  private readonly dead = new WeakSet<AbortSignal>();

  private start(): LeaderElection {
    this.starts += 1;
    const { signal } = this.controller;
    return startLeaderElection({
      client: this.client(signal),
      clock: this.clock(signal),
      random: () => this.random(),
      log: pino({ level: 'silent' }),
      signal,
      identity: this.starts === 1 ? this.name : `${this.name}-${this.starts}`,
      namespace: 'system',
      name: 'controller',
      ...(this.settings.times ?? TIMES),
      onStarted: (term) => {
        this.terms.push('started');
        term.addEventListener('abort', () => this.terms.push('aborted'));
      },
      onStopped: () => {
        this.terms.push('stopped');
        return this.stopping;
      },
    });
  }

  private clock(life: AbortSignal): Clock {
    const { offset = 0, rate = 1 } = this.settings;
    return {
      now: () => this.time.now() * rate + offset,
      wall: () => this.time.wall() + offset,
      sleep: async (ms, signal) => {
        await this.time.sleep(ms / rate, signal);
        await this.resume(life);
      },
    };
  }

  /** Whatever comes to a process that stands still waits there. */
  private async resume(life: AbortSignal): Promise<void> {
    if (this.dead.has(life)) await new Promise(() => {});
    while (this.time.now() < this.pauseUntil) await this.time.sleep(this.pauseUntil - this.time.now());
  }

  private client(life: AbortSignal): ApiClient {
    const ask = async <T>(kind: string, signal: AbortSignal | undefined, act: () => T): Promise<T> => {
      this.requests.push(kind);
      const { request, answer } = this.delays;
      const reply = async () => {
        if (this.isCutOff) await new Promise(() => {});
        // What has been sent arrives, even when nobody waits for the answer any more.
        await this.time.sleep(request);
        const result = outcomeOf(act);
        await this.time.sleep(answer);
        await this.resume(life);
        return result();
      };
      return untilAborted(reply(), signal!);
    };
    const unused = () => Promise.reject(new Error('not used'));
    return {
      get: ({ ...resource }, name, namespace, signal) =>
        ask('get', signal, () => this.cluster.get(resource, name, namespace)),
      create: (resource, object, signal) => ask('create', signal, () => this.cluster.create(resource, object)),
      replace: (resource: Resource, object: KubernetesObject, signal?: AbortSignal) =>
        ask('replace', signal, () => this.cluster.replace(resource, object)),
      list: unused,
      apply: unused,
      delete: unused,
      watch: () => {
        throw new Error('not used');
      },
    };
  }

  private random(): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state / 2_147_483_647;
  }
}

function outcomeOf<T>(act: () => T): () => T {
  try {
    const result = act();
    return () => result;
  } catch (error) {
    const { code, reason, message } = error as Refusal;
    return () => {
      throw error instanceof Refusal ? new ApiError({ code, reason, message, request: '' }) : error;
    };
  }
}
