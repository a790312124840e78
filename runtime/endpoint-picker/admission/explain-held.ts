import type { Band } from '../../../lib/translate/gateway-state';
import type { PickResult } from '../endpoint-picker';

/** The same result; where it is explained, with how long the request was held before, in milliseconds, and where. */
export function explainHeld(result: PickResult, heldMs: number, band: Band): PickResult {
  if (result.outcome !== 'picked' || result.explanation === undefined) return result;
  return { ...result, explanation: { ...result.explanation, held: { ms: Math.round(heldMs), band } } };
}
