import type { Band } from '../../../lib/translate/gateway-state';

/** Above 0 is Critical, 0 Standard, below 0 Sheddable. */
export function bandOf(priority: number): Band {
  if (priority > 0) return 'critical';
  return priority < 0 ? 'sheddable' : 'standard';
}
