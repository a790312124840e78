import type { EndedDecision, Turn } from './explaining-picker';

/** The part of a pino logger that is used. */
interface DecisionLog {
  info(fields: object, message: string): void;
  isLevelEnabled(level: 'info'): boolean;
}

export interface LogSample {
  /**
   * Whether the next decision of a scheduler is to be logged; if so, none of its others is for the interval, unless the
   * turn is given back.
   */
  takes(scheduler: string): Turn | undefined;
  write(decision: EndedDecision): void;
}

/** Schedulers whose last sample is remembered; those of one state are far fewer. */
const MAX_SCHEDULERS = 1000;

/**
 * A sample of decisions in the log: at most one in `intervalMs` for each scheduler, written when the request is over.
 * `intervalMs`: at present; 0 is none. `clock`: milliseconds, never going back.
 */
export function createLogSample(log: DecisionLog, intervalMs: () => number, clock: () => number): LogSample {
  const last = new Map<string, number>();
  return {
    takes(scheduler) {
      const interval = intervalMs();
      if (interval <= 0 || !log.isLevelEnabled('info')) return undefined;
      const now = clock();
      if (now - (last.get(scheduler) ?? Number.NEGATIVE_INFINITY) < interval) return undefined;
      if (last.size >= MAX_SCHEDULERS) last.clear();
      last.set(scheduler, now);
      return {
        giveBack() {
          if (last.get(scheduler) === now) last.delete(scheduler);
        },
      };
    },
    write: (decision) => log.info({ decision }, 'decision'),
  };
}
