import type { GatewayState } from '../../lib/translate/gateway-state';
import type { PoolStatus } from '../endpoint-picker/status';

/** What the supervisor tells the router process. */
export type ToRouter =
  | { readonly type: 'state'; readonly sequence: number; readonly state: GatewayState }
  | { readonly type: 'status' };

/** What the router process tells the supervisor. */
export type FromRouter =
  /** It runs; a state may come. */
  | { readonly type: 'ready' }
  /** The processor listens. */
  | { readonly type: 'serving'; readonly metricsPort: number }
  /** Picks are now made by this state. */
  | { readonly type: 'applied'; readonly sequence: number }
  | { readonly type: 'status'; readonly pools: readonly PoolStatus[] };
