import { z } from 'zod';

const DURATION = /^([0-9]{1,5}(h|m|s|ms)){1,4}$/;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** A Gateway API duration (GEP-2257): one to four of number and unit, as `1h30m` or `500ms`. */
export const durationSchema = z
  .string()
  .max(28)
  .regex(DURATION)
  .meta({ expects: 'a Gateway API duration, such as 30s, 5m or 1h30m (units h, m, s, ms; no fractions)' });

/** Milliseconds of a Gateway API duration, 0 to about 1.4e12; undefined when the text is not one. */
export function durationToMilliseconds(text: string): number | undefined {
  if (!DURATION.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '0', unit = 'ms'] of text.matchAll(/([0-9]+)(h|ms|m|s)/g)) {
    total += Number(amount) * (UNIT_MS[unit] ?? 0);
  }
  return total;
}
