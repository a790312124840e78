import type { FlowControlState } from '../../../../lib/translate/gateway-state';
import { longestHoldMs } from '../../../../lib/translate/gateway-state/longest-hold';

const overload = (emptyPoolHoldMs: number) => ({
  overload: { maxQueueTimeMs: 1, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 1, emptyPoolHoldMs },
});

function flowControl(critical: number, standard: number, sheddable: number): { flowControl: FlowControlState } {
  const band = (ttlMs: number) => ({ ttlMs, maxRequests: 1, maxBytes: 1 });
  return {
    flowControl: {
      bands: { critical: band(critical), standard: band(standard), sheddable: band(sheddable) },
      maxBytes: 1,
      maxTenants: 1,
      trustClientHeaders: false,
    },
  };
}

test('it is the longest of all bands and of the wait for a first pod, over all schedulers', () => {
  expect(longestHoldMs({ schedulers: [overload(10), flowControl(1, 2, 30)] })).toBe(30);
  expect(longestHoldMs({ schedulers: [{ ...overload(40), ...flowControl(30, 2, 1) }, overload(0)] })).toBe(40);
  expect(longestHoldMs({ schedulers: [flowControl(50, 2, 1)] })).toBe(50);
  expect(longestHoldMs({ schedulers: [flowControl(1, 60, 1)] })).toBe(60);
});

test('where nothing is held it is 0', () => {
  expect(longestHoldMs({ schedulers: [{}, overload(0)] })).toBe(0);
  expect(longestHoldMs({ schedulers: [] })).toBe(0);
});
