import type { FlowControlState } from '../../../../lib/translate/gateway-state';
import type { FlowQueue, Waiting } from '../../../../runtime/endpoint-picker/admission/flow-queue';

export const AMPLE: FlowControlState = limitsOf({ maxRequests: 100_000, maxBytes: 2 ** 40 });

export function limitsOf(band: { maxRequests: number; maxBytes: number }, rest: Partial<FlowControlState> = {}) {
  const one = { ttlMs: 10_000, ...band };
  const bands = { critical: one, standard: one, sheddable: one };
  return { bands, maxBytes: 2 ** 41, maxTenants: 100, trustClientHeaders: false, ...rest };
}

export interface Item extends Waiting {
  readonly name: number;
}

let names = 0;
export function item(some: Partial<Waiting> = {}): Item {
  return { band: 'standard', tenant: 'a', tokens: 100, bytes: 400, expiresAt: 1000, ...some, name: names++ };
}

/** Dispatches the next one only. */
export function takeOne(queue: FlowQueue<Item>, now = 0): { item: Item; owed: boolean } | undefined {
  let taken: { item: Item; owed: boolean } | undefined;
  queue.dispatch(now, (head, owed) => {
    if (taken !== undefined) return 'no-room';
    taken = { item: head, owed };
    return 'taken';
  });
  return taken;
}
