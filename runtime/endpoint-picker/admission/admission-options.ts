import type { GatewayState } from '../../../lib/translate/gateway-state';
import type { Picker } from '../picker';
import type { AdmissionObserver } from './observe';

export interface AdmissionOptions {
  readonly picker: Pick<Picker, 'pick' | 'pickWithin' | 'hasEndpoints'>;
  readonly state: GatewayState;
  /** Milliseconds, never going back. */
  readonly clock: () => number;
  /** Runs `work` once, after so many milliseconds, unless the returned function is called before. */
  readonly after: (delayMs: number, work: () => void) => () => void;
  readonly observe: AdmissionObserver;
}
