import type { Clock } from '../../../../runtime/kubernetes/clock';

/** Time that passes only by sleeping. */
export function manualClock(startMs = 0): Clock & { advance(ms: number): void } {
  let now = startMs;
  return {
    now: () => now,
    wall: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    advance: (ms) => {
      now += ms;
    },
  };
}
