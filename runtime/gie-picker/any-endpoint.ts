import type { SchedulerState } from '../../lib/translate/gateway-state';
import { subsetTest } from '../endpoint-picker/subset';

/** A ready endpoint by chance, for when the picker does not answer; `draw` in [0, 1). Undefined: none is. */
export function anyEndpoint(
  scheduler: SchedulerState | undefined,
  subset: readonly string[] | undefined,
  draw: number,
): string | undefined {
  const isAllowed = subsetTest(subset);
  const ready = scheduler?.endpoints.filter((endpoint) => endpoint.ready && isAllowed(endpoint.address)) ?? [];
  return ready[Math.floor(draw * ready.length)]?.address;
}
