import type { GatewayState } from '../../../lib/translate/gateway-state';
import type { EndpointPicker, Ticket } from '../../../runtime/endpoint-picker/endpoint-picker';
import { subsetTest } from '../../../runtime/endpoint-picker/subset';

/** Nothing is remembered of a request. */
const TICKET: Ticket = { served() {}, firstToken() {}, done() {} };

/** Chooses the ready endpoints in turn; of those that a request may go to, where it says so. */
export function turnPicker(state: () => GatewayState | undefined): EndpointPicker {
  let turn = 0;
  return {
    pick({ subset }) {
      const isAllowed = subsetTest(subset);
      const candidates = (state()?.schedulers ?? [])
        .flatMap(({ endpoints }) => endpoints)
        .filter(({ address, ready }) => ready && isAllowed(address));
      turn += 1;
      const chosen = candidates[turn % candidates.length];
      if (chosen === undefined) return { outcome: 'no-endpoints', retryAfterSeconds: 1 };
      return { outcome: 'picked', endpoints: [chosen.address], ticket: TICKET };
    },
  };
}
