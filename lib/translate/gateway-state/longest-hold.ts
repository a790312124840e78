import { BANDS, type SchedulerState } from '../gateway-state';

/** What of a scheduler can hold a request; what is absent holds none. */
export type Holds = Partial<Pick<SchedulerState, 'overload' | 'flowControl'>>;

/** The longest that a request may wait in the gateway before it is answered or sent. Milliseconds; 0 where none waits. */
export function longestHoldMs(state: { readonly schedulers: readonly Holds[] }): number {
  const holds = state.schedulers.flatMap(({ overload, flowControl }) => [
    overload?.emptyPoolHoldMs ?? 0,
    ...(flowControl === undefined ? [] : BANDS.map((band) => flowControl.bands[band].ttlMs)),
  ]);
  return Math.max(0, ...holds);
}
