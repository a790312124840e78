import type { GatewayState } from '../../lib/translate/gateway-state';
import type { EndpointPicker } from '../endpoint-picker/endpoint-picker';
import type { Processor } from '../ext-proc/processor';
import { createTurns } from './body/turns';
import { refuse } from './errors';
import { HeldRequests } from './held-requests';
import { compileRouting, type Routing } from './models/routing';
import type { BodyRouterObserver } from './observer';
import { RequestStream, type RouterContext } from './request-stream';

export interface BodyRouterOptions {
  readonly picker: EndpointPicker;
  /** The state of this moment. A change is a new object; an object that was returned is never changed. */
  readonly state: () => GatewayState;
  /** A draw in [0, 1), for weighted rewrites. */
  readonly random: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly clock: () => number;
  /** Resolves when the event loop has served what was waiting (`setImmediate`). */
  readonly yieldTurn: () => Promise<void>;
  readonly observe: BodyRouterObserver;
  /** Told of whatever the picker throws; the request is answered 503. */
  onPickerError(error: unknown): void;
  /** Unix seconds that `GET /v1/models` shows as `created`. */
  readonly created: number;
  /** A scheduler, `namespace/name`, has a ready endpoint, though the state may not have it. Default: by the state alone. */
  readonly hasEndpoints?: ((scheduler: string) => boolean) | undefined;
}

export interface BodyRouter extends Processor<RequestStream> {
  /** Answers every request whose pick is awaited, and would be from now on, with 503: the process is about to end. */
  refuseHeld(): void;
}

/** The Body-Based Router: finds each request's model, its scheduler and, through the picker, its endpoint. */
export function createBodyRouter(options: BodyRouterOptions): BodyRouter {
  const { state, observe, yieldTurn } = options;
  let routing: Routing | undefined;
  const held = new HeldRequests();
  const context: RouterContext = {
    ...options,
    held,
    turns: createTurns(yieldTurn),
    routing: () => {
      const current = state();
      if (routing?.state !== current) routing = compileRouting(current);
      return routing;
    },
  };
  return {
    refuseHeld: () => held.refuseAll(),
    open: () => new RequestStream(context),
    overloaded: () => {
      observe.requestRefused('router_overloaded');
      return refuse('router_overloaded');
    },
  };
}
