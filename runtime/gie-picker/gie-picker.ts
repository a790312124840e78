import type { SecureContextOptions } from 'node:tls';
import type { GatewayState } from '../../lib/translate/gateway-state';
import { createTurns } from '../body-router/body/turns';
import { refuse } from '../body-router/errors';
import { compileRouting, type Routing } from '../body-router/models/routing';
import type { EndpointPicker } from '../endpoint-picker/endpoint-picker';
import type { BodyBudget } from '../ext-proc/body-budget';
import type { ListenAddress } from '../ext-proc/listen';
import type { BodyModes } from '../ext-proc/processor';
import { type ExtProcServer, startExtProcServer } from '../ext-proc/server';
import { type GieContext, GieStream, SERVED_NAMESPACE } from './gie-stream';
import type { GieObserver } from './observer';
import { SUBSET_NAMESPACE } from './subset';

export interface GiePickerOptions {
  readonly picker: EndpointPicker;
  /** The state of this moment; undefined until the first one is known. A change is a new object. */
  readonly state: () => GatewayState | undefined;
  /** The pool that this server picks for, `namespace/name`. */
  readonly scheduler: string;
  readonly listen: ListenAddress;
  /** Default plain text. With a `ca`, proxies must show a certificate of it. */
  readonly tls?: SecureContextOptions;
  /** Told why a proxy was refused before it could say anything. */
  onRefused?(reason: string): void;
  /** How a proxy sends bodies that does not say so itself. Default FULL_DUPLEX_STREAMED, as the protocol demands. */
  readonly bodyModes?: BodyModes;
  /** The largest message taken, in bytes: above the largest `maxRequestBodyBytes`, for a proxy that buffers bodies. */
  readonly maxMessageBytes: number;
  /** Bounds the bytes of request bodies that lie here at once; a request beyond it is answered 503. */
  readonly budget?: BodyBudget;
  /** A draw in [0, 1), for weighted rewrites. */
  readonly random: () => number;
  /** Milliseconds on a clock that never goes back. */
  readonly clock: () => number;
  /** Resolves when the event loop has served what was waiting (`setImmediate`). */
  readonly yieldTurn: () => Promise<void>;
  readonly observe: GieObserver;
  /** Told of whatever the picker throws; the request is answered 503. */
  onPickerError(error: unknown): void;
  /** Told of whatever else is thrown; the proxy then does as its failure mode says. */
  onHandlerError(error: unknown): void;
}

/** Of a proxy that says nothing. */
const FULL_DUPLEX: BodyModes = { request: 'FULL_DUPLEX_STREAMED', response: 'FULL_DUPLEX_STREAMED' };

const NAMESPACES: ReadonlySet<string> = new Set([SUBSET_NAMESPACE, SERVED_NAMESPACE]);

/**
 * Serves the endpoint picker protocol of the Gateway API Inference Extension for one pool, to any proxy that speaks it
 * over ext_proc. Health checks of every service name are told SERVING once the state holds the pool. Rejects when the
 * address cannot be had, or the certificate or key cannot be read.
 */
export function startGiePicker(options: GiePickerOptions): Promise<ExtProcServer> {
  const { scheduler, state, observe } = options;
  let routing: Routing | undefined;
  const current = () => {
    const now = state();
    if (now !== undefined && routing?.state !== now) routing = compileRouting(now);
    return routing;
  };
  const context: GieContext = {
    picker: options.picker,
    scheduler,
    routing: current,
    random: options.random,
    clock: options.clock,
    turns: createTurns(options.yieldTurn),
    observe,
    onPickerError: (error) => options.onPickerError(error),
    bodyModes: options.bodyModes ?? FULL_DUPLEX,
  };
  return startExtProcServer({
    processor: {
      open: () => new GieStream(context),
      overloaded: () => {
        observe.requestRefused('router_overloaded', scheduler);
        return refuse('router_overloaded');
      },
    },
    listen: options.listen,
    maxMessageBytes: options.maxMessageBytes,
    metadataNamespaces: NAMESPACES,
    ready: () => current()?.schedulers.has(scheduler) === true,
    onHandlerError: (error) => options.onHandlerError(error),
    onRefused: (reason) => options.onRefused?.(reason),
    ...(options.budget !== undefined && { budget: options.budget }),
    ...(options.tls !== undefined && { tls: options.tls }),
  });
}
