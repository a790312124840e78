import type { Faults } from './faults';
import type { RealTimeEngine } from './real-time-engine';

/** The faults in force and their effect on the server. */
export interface FaultState {
  current(): Faults;
  set(faults: Faults): void;
  /** False while a start delay lasts. */
  isReady(): boolean;
  /** Runs `resume` once the server is not frozen: at once, or when the freeze ends. */
  whenThawed(resume: () => void): void;
}

/** Puts `initial` in force; `now` gives wall time in milliseconds. */
export function createFaultState(engine: RealTimeEngine, now: () => number, initial: Faults): FaultState {
  let faults: Faults = {};
  let readyAt = 0;
  let frozen: (() => void)[] = [];

  function set(next: Faults): void {
    faults = next;
    readyAt = now() + (next.startDelaySeconds ?? 0) * 1000;
    engine.setRate(next.freeze === true ? 0 : 1 / (next.slowdown ?? 1));
    if (next.freeze === true) return;
    const waiting = frozen;
    frozen = [];
    for (const resume of waiting) resume();
  }

  set(initial);
  return {
    current: () => faults,
    set,
    isReady: () => now() >= readyAt,
    whenThawed(resume) {
      if (faults.freeze === true) frozen.push(resume);
      else resume();
    },
  };
}
