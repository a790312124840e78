import type { Logger } from 'pino';
import { type GatewayState, schedulerName } from '../../lib/translate/gateway-state';

/**
 * Says which schedulers that a flag names the objects do not have. No fault: objects may come later. `names`:
 * `namespace/name`.
 */
export function warnOfUnknown(flag: string, names: readonly string[], state: GatewayState, log: Logger): void {
  const known = state.schedulers.map(schedulerName);
  for (const scheduler of names) {
    if (!known.includes(scheduler)) {
      log.warn({ scheduler, known }, `${flag}: the objects have no such scheduler, so it has no picks until they do`);
    }
  }
}
