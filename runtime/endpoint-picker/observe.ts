import type { Refusal } from './endpoint-picker';

/** What the picker tells a telemetry module. Every argument is from the objects, never from a client. */
export interface PickerObserver {
  /** `microseconds`: time spent in the decision. */
  picked(scheduler: string, pod: string, microseconds: number): void;
  refused(scheduler: string, kind: Refusal): void;
  /** Another pod than the picked one served: one of the pool (`moved`), or an address that is not in it (`unknown`). */
  servedElsewhere(scheduler: string, kind: 'moved' | 'unknown'): void;
  /** A request was answered after this many connection attempts that failed. */
  retried(scheduler: string, attempts: number): void;
  scraped(scheduler: string, outcome: ScrapeOutcome, milliseconds: number): void;
}

/**
 * `ok`: a page was read. `no-metrics`: the server answers but has no metrics page. `refused`: nothing listens there.
 * `timeout`, `connection`: no whole answer came. `status`: an error status. `too-large`: the page is above the limit.
 */
export type ScrapeOutcome = 'ok' | 'no-metrics' | 'refused' | 'timeout' | 'connection' | 'status' | 'too-large';

/** The part of a pino logger that the picker uses. */
export interface PickerLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
