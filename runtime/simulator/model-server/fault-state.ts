import type { Faults } from './faults';
import type { RealTimeEngine } from './real-time-engine';

/** The faults in force and their effect on the server. */
export interface FaultState {
  current(): Faults;
  set(faults: Faults): void;
  /** False while a start delay lasts. */
  isReady(): boolean;
  /** Runs `resume` once the server is not frozen: at once, or when the freeze ends. The returned function takes a waiting one back. */
  whenThawed(resume: () => void): () => void;
}

/** Puts `initial` in force; `now` gives wall time in milliseconds. */
export function createFaultState(
  engine: Pick<RealTimeEngine, 'setRate'>,
  now: () => number,
  initial: Faults,
): FaultState {
  let faults: Faults = {};
  let readyAt = 0;
  const frozen = new Set<() => void>();

  function set(next: Faults): void {
    faults = next;
    readyAt = now() + (next.startDelaySeconds ?? 0) * 1000;
    engine.setRate(next.freeze === true ? 0 : 1 / (next.slowdown ?? 1));
    if (next.freeze === true) return;
    for (const resume of frozen) resume();
    frozen.clear();
  }

  set(initial);
  return {
    current: () => faults,
    set,
    isReady: () => now() >= readyAt,
    whenThawed(resume) {
      if (faults.freeze === true) frozen.add(resume);
      else resume();
      return () => frozen.delete(resume);
    },
  };
}
