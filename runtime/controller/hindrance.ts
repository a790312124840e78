import type { KubernetesObject } from '../../lib/translate/cluster/kubernetes-object';
import type { Problem } from '../../lib/translate/cluster/types';
import type { Clock } from '../kubernetes/clock';
import type { GatewayEvents } from './events';
import type { FreshView } from './fresh-view';
import { type Owner, ownerOfConfig } from './owner';
import type { StatusReport } from './status-report';

export interface HindranceOptions {
  readonly events: Pick<GatewayEvents, 'waiting'>;
  readonly report: Pick<StatusReport, 'hindered'>;
  readonly view: Pick<FreshView, 'isCurrentAtFirst'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What every gateway waits for: as a rule it takes a moment, and what takes longer is told. */
export interface Hindrances {
  /** `mayWrite`: into the status too. Resolves with the milliseconds after which it is to be looked at again. */
  wait(config: KubernetesObject, problem: Problem, mayWrite: boolean, signal: AbortSignal): Promise<number>;
  /** The gateway waits no more. */
  over(owner: Owner): void;
}

/** After this time there is an Event. Milliseconds. */
const EVENT_MS = 10_000;

/** After this time it is in the status: a gateway that runs must not look broken whenever another process leads. Milliseconds. */
const STATUS_MS = 40_000;

export function createHindrances({ events, report, view, clock }: HindranceOptions): Hindrances {
  const since = new Map<Owner, number>();
  return {
    async wait(config, problem, mayWrite, signal) {
      const owner = ownerOfConfig(config);
      const start = since.get(owner) ?? clock.now();
      since.set(owner, start);
      const waited = clock.now() - start;
      if (waited < EVENT_MS) return EVENT_MS - waited;
      events.waiting(config, problem.reason, problem.message);
      const isLong = waited >= STATUS_MS && mayWrite;
      if (isLong && (await view.isCurrentAtFirst(config, signal))) await report.hindered(config, problem, signal);
      return EVENT_MS;
    },
    over: (owner) => void since.delete(owner),
  };
}

/** `kinds`: of which nothing is known yet. */
export function notSynced(kinds: readonly string[]): Problem {
  return {
    condition: 'Accepted',
    reason: 'NotSynced',
    message: `nothing is changed before these kinds have been read: ${kinds.join(', ')}; see the controller's log, and whether its role may list and watch them`,
    blocks: true,
  };
}

export function notPrepared(): Problem {
  return {
    condition: 'Accepted',
    reason: 'NotPrepared',
    message: 'the controller is still installing the definitions and certificates that all gateways need; see its log',
    blocks: true,
  };
}
