import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';

/** What the supervisor tells its processes: the router, and pickers that are processes of their own. */
export type ToChild =
  | { readonly type: 'state'; readonly sequence: number; readonly state: GatewayState }
  | { readonly type: 'status' };

/** What they tell the supervisor. */
export type FromChild =
  /** It runs; a state may come. */
  | { readonly type: 'ready' }
  /** It serves. */
  | { readonly type: 'serving'; readonly metricsPort: number }
  /** Requests are now served by this state. */
  | { readonly type: 'applied'; readonly sequence: number }
  | { readonly type: 'status'; readonly pools: readonly PoolStatus[] };
