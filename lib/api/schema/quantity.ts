import { z } from 'zod';

/** A Kubernetes quantity. */
export const quantitySchema = z
  .union([
    z.int(),
    z
      .string()
      .max(64)
      .regex(/^[+-]?([0-9]+|[0-9]+\.[0-9]*|\.[0-9]+)([KMGTPE]i?|[mkun]|[eE][+-]?[0-9]+)?$/),
  ])
  .meta({ expects: 'a quantity, such as 2, 500m or 4Gi', 'x-kubernetes-int-or-string': true });

const COUNT = /^([1-9][0-9]{0,14}(?:\.[0-9]{0,9})?|0?\.[0-9]{0,8}[1-9])(k|[MGTPE]|[KMGTPE]i|[eE][0-9]{1,2})?$/;

const FACTORS: Readonly<Record<string, number>> = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A number of bytes above 0, as a Kubernetes quantity. */
export const byteCountSchema = z
  .union([z.int().min(1), z.string().max(64).regex(COUNT)])
  .meta({ expects: 'a number of bytes, such as 1048576, 256Mi or 1G', 'x-kubernetes-int-or-string': true });

/**
 * The number that a quantity of whole things above 0 stands for, rounded up; undefined where it is none. No more than
 * the largest integer that a number can hold.
 */
export function quantityToCount(quantity: unknown): number | undefined {
  if (typeof quantity === 'number') return Number.isSafeInteger(quantity) && quantity > 0 ? quantity : undefined;
  const [, amount, suffix = ''] = (typeof quantity === 'string' && COUNT.exec(quantity)) || [];
  if (amount === undefined) return undefined;
  const factor = FACTORS[suffix] ?? 10 ** Number(suffix.slice(1));
  return Math.min(Math.ceil(Number(amount) * factor), Number.MAX_SAFE_INTEGER);
}
