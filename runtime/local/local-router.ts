import type { Logger } from 'pino';
import type { RecordOptions } from '../recording/open-recording';
import { type RouterService, startRouterService } from '../router/router-service';
import type { FromRouter, ToRouter } from './messages';

export interface LocalRouterOptions {
  readonly socketPath: string;
  readonly record?: RecordOptions;
  readonly log: Logger;
}

/**
 * The router process of local mode: takes its state from the supervisor over the IPC channel, and ends with it, however
 * the supervisor ends.
 */
export async function runLocalRouter({ socketPath, record, log }: LocalRouterOptions): Promise<void> {
  if (process.send === undefined) {
    throw new Error('local-router is started by "inference-gateway local"; run that instead');
  }
  let service: Promise<RouterService> | undefined;
  const tell = (message: FromRouter) => {
    // A supervisor that has just died is no fault; `disconnect` tells of it.
    if (process.connected) process.send?.(message, () => {});
  };

  const takeState = async ({ state, sequence }: ToRouter & { type: 'state' }) => {
    if (service === undefined) {
      service = startRouterService({
        listen: { path: socketPath },
        metricsPort: 0,
        state,
        ...(record && { record }),
        log,
      });
      const { metricsPort } = await service;
      tell({ type: 'serving', metricsPort });
    } else {
      (await service).update(state);
    }
    tell({ type: 'applied', sequence });
  };
  const stop = async () => {
    await (await service)?.close();
    process.exit(0);
  };

  process.on('message', (message: ToRouter) => {
    switch (message.type) {
      case 'state':
        takeState(message).catch((error: Error) => {
          log.fatal({ reason: error.message }, 'router cannot start');
          process.exit(1);
        });
        break;
      case 'status':
        void service?.then((running) => tell({ type: 'status', pools: running.status() }));
        break;
    }
  });
  // The supervisor is gone: there is nobody left to drain for.
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => void stop());
  tell({ type: 'ready' });
}
