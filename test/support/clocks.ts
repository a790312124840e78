import { type Clock, systemClock } from '../../runtime/kubernetes/clock';

/** Real time, `factor` times as fast: for code under test whose peer is another process or a server. */
export function fastClock(factor: number): Clock {
  return {
    now: () => systemClock.now() * factor,
    wall: () => systemClock.wall(),
    sleep: (ms, signal) => systemClock.sleep(ms / factor, signal),
  };
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** Time that passes only when it is told to. Starts at 0 milliseconds, on 1 January 2026. */
export class VirtualClock implements Clock {
  private time = 0;
  private order = 0;
  private readonly sleepers = new Set<Sleeper>();

  now(): number {
    return this.time;
  }

  wall(): number {
    return Date.UTC(2026, 0, 1) + this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        this.sleepers.delete(sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { at: this.time + Math.max(0, ms), order: this.order++, wake };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** `onStep`: after everything that happens at one moment. */
  async advance(ms: number, onStep: () => void = () => {}): Promise<void> {
    const until = this.time + ms;
    await settle();
    onStep();
    for (;;) {
      const next = [...this.sleepers].sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined || next.at > until) break;
      this.time = next.at;
      next.wake();
      await settle();
      onStep();
    }
    this.time = until;
  }
}

/** Everything that can happen without time passing has happened. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
