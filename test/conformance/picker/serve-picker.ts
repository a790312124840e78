import type { SecureContextOptions } from 'node:tls';
import { type GatewayState, schedulerName } from '../../../lib/translate/gateway-state';
import { createTurns } from '../../../runtime/body-router/body/turns';
import { refuse } from '../../../runtime/body-router/errors';
import { compileRouting } from '../../../runtime/body-router/models/routing';
import type { ListenAddress } from '../../../runtime/ext-proc/listen';
import type { Processor } from '../../../runtime/ext-proc/processor';
import { type ExtProcServer, startExtProcServer } from '../../../runtime/ext-proc/server';
import { type GieContext, GieStream, SERVED_NAMESPACE } from '../../../runtime/gie-picker/gie-stream';
import { SUBSET_NAMESPACE } from '../../../runtime/gie-picker/subset';
import { SteeredStream } from './steered-stream';
import { turnPicker } from './turn-picker';

export interface ServedPickerOptions {
  /** Of the pool; undefined until it is known. */
  readonly state: () => GatewayState | undefined;
  readonly listen: ListenAddress;
  /** Where probes ask, in plain text. */
  readonly health: ListenAddress;
  readonly tls: SecureContextOptions;
  onError(error: unknown): void;
}

export interface ServedPicker {
  readonly address: ListenAddress;
  readonly healthAddress: ListenAddress;
  close(): Promise<void>;
}

const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** Serves the endpoint picker protocol for one pool as the suite wants it. Rejects where an address cannot be had. */
export async function servePicker(options: ServedPickerOptions): Promise<ServedPicker> {
  const { state, onError } = options;
  const context: Omit<GieContext, 'scheduler'> = {
    picker: turnPicker(state),
    routing() {
      const now = state();
      return now && compileRouting(now);
    },
    random: Math.random,
    clock: () => performance.now(),
    turns: createTurns(() => new Promise(setImmediate)),
    observe: { requestRouted() {}, requestRefused() {} },
    onPickerError: onError,
    bodyModes: { request: 'FULL_DUPLEX_STREAMED', response: 'FULL_DUPLEX_STREAMED' },
  };
  const processor: Processor = {
    open() {
      const [pool] = state()?.schedulers ?? [];
      return new SteeredStream(new GieStream({ ...context, scheduler: pool ? schedulerName(pool) : '' }));
    },
    overloaded: () => refuse('router_overloaded'),
  };
  const serve = (listen: ListenAddress, tls?: SecureContextOptions): Promise<ExtProcServer> =>
    startExtProcServer({
      processor,
      listen,
      maxMessageBytes: LARGEST_MESSAGE,
      metadataNamespaces: new Set([SUBSET_NAMESPACE, SERVED_NAMESPACE]),
      ready: () => state() !== undefined,
      onHandlerError: onError,
      ...(tls && { tls }),
    });
  const server = await serve(options.listen, options.tls);
  const health = await serve(options.health).catch(async (error: unknown) => {
    await server.close(0);
    throw error;
  });
  return {
    address: server.address,
    healthAddress: health.address,
    async close() {
      await Promise.all([server.close(0), health.close(0)]);
    },
  };
}
