import type { Band } from '../../../lib/translate/gateway-state';
import type { Refusal } from '../endpoint-picker';

/** What admission tells a telemetry module. Every string is of the configuration or of a closed set. */
export interface AdmissionObserver {
  /** A request that was held has left; `waitedMs`: how long. */
  left(scheduler: string, band: Band, outcome: 'dispatched' | Refusal, waitedMs: number): void;
  /** A request was refused without a wait. */
  refused(scheduler: string, outcome: Refusal): void;
}
