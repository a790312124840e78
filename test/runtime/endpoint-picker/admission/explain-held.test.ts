import { createAdmission } from '../../../../runtime/endpoint-picker/admission/admission';
import { explainHeld } from '../../../../runtime/endpoint-picker/admission/explain-held';
import type { PickResult } from '../../../../runtime/endpoint-picker/endpoint-picker';
import { explanation } from '../../explain/fixtures';
import { picked } from '../../recording/support';
import { gatewayState, schedulerState } from '../support/fixtures';
import { REQUEST } from './support';

test('an explained decision on a request that was held says how long and in which band', () => {
  const result = explainHeld({ ...picked(), explanation: explanation() }, 1234.5, 'sheddable');
  expect(result).toMatchObject({ explanation: { winner: 'models/llama-0', held: { ms: 1235, band: 'sheddable' } } });
});

test.each([picked(), { outcome: 'saturated' as const, retryAfterSeconds: 1 }])(
  'without an explanation nothing changes: %j',
  (result) => {
    expect(explainHeld(result, 1000, 'standard')).toBe(result);
  },
);

test('a request that was held for an empty pool is explained so', () => {
  const overload = { maxQueueTimeMs: 30_000, retryAfterMinSeconds: 1, retryAfterMaxSeconds: 60, emptyPoolHoldMs: 5000 };
  let now = 0;
  let ready = false;
  const admission = createAdmission({
    picker: {
      pick: () => ({ ...picked(), explanation: explanation() }),
      pickWithin: () => undefined,
      hasEndpoints: () => ready,
    },
    state: gatewayState(schedulerState({ overload })),
    clock: () => now,
    after: () => () => {},
    observe: { left() {}, refused() {} },
  });
  let result: PickResult | undefined;
  admission.pickThen(
    { ...REQUEST, priority: 1 },
    (settled) => {
      result = settled;
    },
    () => {},
  );
  now = 700;
  ready = true;
  admission.roomChanged('models/llama');
  expect(result).toMatchObject({ explanation: { held: { ms: 700, band: 'critical' } } });
});
