import type { Refusal } from '../endpoint-picker/endpoint-picker';
import type { RefusalName } from './errors';

/** How a client is told that no endpoint was picked. */
export const REFUSAL_OF: Readonly<Record<Refusal, RefusalName>> = {
  saturated: 'pool_saturated',
  'queue-full': 'queue_full',
  expired: 'queue_timeout',
  'no-endpoints': 'no_endpoints',
  'shutting-down': 'shutting_down',
  // Never shown: only who is gone cancels.
  cancelled: 'queue_timeout',
};
