import type { EndpointState, SchedulerState } from '../gateway-state';
import { type Holds, longestHoldMs } from '../gateway-state/longest-hold';

/** What Envoy's configuration depends on. Every `GatewayState` is one; `union` makes others. */
export interface EnvoyState {
  readonly maxRequestBodyBytes: number;
  readonly defaultBackend?: { readonly name: string; readonly port: number };
  /** A scheduler may come twice, when a union must serve two of its models. */
  readonly schedulers: readonly EnvoyScheduler[];
  /**
   * The scheduler, as `namespace/name`, that gets the requests which no route matches: those that the processor did
   * not see. Absent: the only scheduler, or none where there are several.
   */
  readonly catchAll?: string;
  /** `GatewayState.claims`. */
  readonly claims?: boolean;
  /** The processor may hold a request so long, also where the schedulers say less. Milliseconds, default 0. */
  readonly longestHoldMs?: number;
}

type EnvoyScheduler = Pick<
  SchedulerState,
  'namespace' | 'name' | 'modelName' | 'routeTimeoutMs' | 'appProtocol' | 'retry' | 'endpoints'
> &
  Holds;

/** One cluster of Envoy: the pods of one scheduler. */
export interface Pool {
  /** `namespace/name`; the name of the cluster. */
  readonly name: string;
  readonly http2: boolean;
  readonly endpoints: readonly EndpointState[];
}

/** The pools of a state, each once; of a scheduler that comes twice the first entry counts. */
export function pools(state: EnvoyState): readonly Pool[] {
  const byName = new Map<string, Pool>();
  for (const scheduler of state.schedulers) {
    const name = poolName(scheduler);
    if (byName.has(name)) continue;
    byName.set(name, {
      name,
      http2: scheduler.appProtocol === 'kubernetes.io/h2c',
      endpoints: scheduler.endpoints,
    });
  }
  return [...byName.values()];
}

export function poolName(scheduler: { readonly namespace: string; readonly name: string }): string {
  return `${scheduler.namespace}/${scheduler.name}`;
}

/** See `EnvoyState.catchAll`. */
export function catchAllScheduler(state: EnvoyState): EnvoyScheduler | undefined {
  if (state.catchAll !== undefined) return state.schedulers.find((one) => poolName(one) === state.catchAll);
  return state.schedulers.length === 1 ? state.schedulers[0] : undefined;
}

/** The longest that the processor may hold a request. Milliseconds. */
export function holdMs(state: EnvoyState): number {
  return Math.max(state.longestHoldMs ?? 0, longestHoldMs(state));
}

/**
 * A state whose configuration serves both: every pool and every model of either, and the pods of both. Publish it
 * before the router moves from `previous` to `next`, and `next` alone afterwards: no request meets a missing route or
 * an unknown pod. Where both say something of the same model or scheduler, `next` counts.
 */
export function union(previous: EnvoyState, next: EnvoyState): EnvoyState {
  const previousPools = new Map(pools(previous).map((pool) => [pool.name, pool]));
  const kept = next.schedulers.map((scheduler) => ({
    ...scheduler,
    endpoints: mergeEndpoints(previousPools.get(poolName(scheduler))?.endpoints ?? [], scheduler.endpoints),
  }));
  const models = new Set(next.schedulers.map((scheduler) => scheduler.modelName));
  const names = new Set(next.schedulers.map(poolName));
  const gone = previous.schedulers.filter(
    (scheduler) => !names.has(poolName(scheduler)) || !models.has(scheduler.modelName),
  );
  const defaultBackend = next.defaultBackend ?? previous.defaultBackend;
  const catchAll = catchAllScheduler(next) ?? catchAllScheduler(previous);
  return {
    maxRequestBodyBytes: Math.max(previous.maxRequestBodyBytes, next.maxRequestBodyBytes),
    ...(defaultBackend && { defaultBackend }),
    schedulers: [...kept, ...gone],
    ...(catchAll && { catchAll: poolName(catchAll) }),
    // While the router believes these headers, or may, none of them is a client's.
    claims: previous.claims === true || next.claims === true,
    longestHoldMs: Math.max(holdMs(previous), holdMs(next)),
  };
}

/** Those of `next`, then those only in `previous`. */
function mergeEndpoints(previous: readonly EndpointState[], next: readonly EndpointState[]): readonly EndpointState[] {
  const addresses = new Set(next.map((endpoint) => endpoint.address));
  return [...next, ...previous.filter((endpoint) => !addresses.has(endpoint.address))];
}
