import { basename } from 'node:path';
import type { Logger } from 'pino';
import { startPickerService } from '../picker-service/picker-service';
import { runSupervisedChild } from './supervised-child';

export interface LocalPickerOptions {
  readonly socketPath: string;
  readonly log: Logger;
}

/** The router ends before its pickers do, so they need wait for nobody. Milliseconds. */
const DRAIN_MS = 0;

/** A picker process of local mode. */
export function runLocalPicker({ socketPath, log }: LocalPickerOptions): void {
  runSupervisedChild({
    name: 'picker',
    async start(state) {
      const service = await startPickerService({
        listen: { path: socketPath },
        state,
        replica: basename(socketPath),
        log,
      });
      return { ...service, close: () => service.close(DRAIN_MS) };
    },
    log,
  });
}
