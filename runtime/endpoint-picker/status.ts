import { type ExclusionReason, exclusionAt, isRamping } from './health/endpoint-health';
import type { Pool } from './pool';
import { type MetricsState, metricsState } from './pooled-endpoint';

/** A pool as plain data, for the live table and for metrics. */
export interface PoolStatus {
  /** `namespace/name`. */
  readonly scheduler: string;
  readonly pods: readonly PodStatus[];
}

/** What the engine last told is absent where it does not tell it. */
export interface PodStatus {
  readonly address: string;
  /** `namespace/name`. */
  readonly pod: string;
  readonly ready: boolean;
  readonly metrics: MetricsState;
  /** Why requests avoid it; absent where they do not. */
  readonly excluded?: ExclusionReason;
  /** It was away, and its share grows. */
  readonly ramping?: true;
  /** 0..1. */
  readonly kvUsage?: number;
  readonly waiting?: number;
  readonly running?: number;
  /** LoRA adapters in use, sorted. */
  readonly adapters?: readonly string[];
  /** Ledger: requests in flight. */
  readonly inFlight: number;
  readonly picks: number;
}

export function poolStatus(scheduler: string, pool: Pool, now: number): PoolStatus {
  const pods = pool.members.map(({ endpoint }): PodStatus => {
    const excluded = exclusionAt(endpoint.health, now);
    const told = endpoint.answer === 'no-metrics' ? undefined : endpoint.answer;
    return {
      address: endpoint.address,
      pod: endpoint.pod,
      ready: endpoint.ready,
      metrics: metricsState(endpoint, now),
      ...(excluded !== undefined && { excluded }),
      ...(isRamping(endpoint.health, now) && { ramping: true as const }),
      ...known('kvUsage', told?.kvUsage),
      ...known('waiting', told?.waiting),
      ...known('running', told?.running),
      ...(told?.adapters !== undefined && {
        adapters: [...new Set([...told.adapters.running, ...told.adapters.waiting])].sort(),
      }),
      inFlight: endpoint.load.requests,
      picks: endpoint.picks,
    };
  });
  return { scheduler, pods };
}

function known<Name extends string>(name: Name, value: number | undefined): { readonly [key in Name]?: number } {
  return value === undefined || Number.isNaN(value) ? {} : ({ [name]: value } as { [key in Name]: number });
}
