import type { Logger } from 'pino';
import { connectPickers } from '../picker-service/remote-pickers';
import type { RecordOptions } from '../recording/open-recording';
import { startRouterService } from '../router/router-service';
import { runSupervisedChild } from './supervised-child';

export interface LocalRouterOptions {
  readonly socketPath: string;
  /** Unix sockets of picker processes; without any the pickers are in this process. */
  readonly pickerSockets: readonly string[];
  readonly record?: RecordOptions;
  readonly log: Logger;
}

/** The router process of local mode. */
export function runLocalRouter({ socketPath, pickerSockets, record, log }: LocalRouterOptions): void {
  const targets = pickerSockets.map((path) => ({ scheduler: undefined, address: { path } }));
  runSupervisedChild({
    name: 'router',
    start: (state) =>
      startRouterService({
        listen: { path: socketPath },
        state,
        ...(targets.length > 0 && {
          connectPickers: (first, noAnswer) =>
            connectPickers({ targets: () => targets, router: 'local', log }, first, noAnswer),
        }),
        ...(record && { record }),
        log,
      }),
    log,
  });
}
