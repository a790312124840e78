import { isRecord } from '../../api/validation/loose';
import type { InstallValues } from '../generated/install-values';
import { CONTRADICTIONS } from './contradictions';
import { type CompleteInstallValues, installValuesSchema } from './install-values';

/** What an installation has that says nothing. */
const DEFAULTS = installValuesSchema.parse({});

/**
 * With all defaults filled in, as Helm does it: a field of an object by itself, a list as a whole. Throws, naming each
 * value that is not of its kind, or contradicts another.
 */
export function completeValues(values: InstallValues): CompleteInstallValues {
  const { success, data, error } = installValuesSchema.safeParse(over(DEFAULTS, values));
  const faults = success ? CONTRADICTIONS.filter(({ holds }) => holds(data)) : error.issues;
  if (success && faults.length === 0) return data;
  throw new Error(faults.map(({ path, message }) => `${['values', ...path].join('.')}: ${message}`).join('\n'));
}

function over(defaults: unknown, values: unknown): unknown {
  if (!isRecord(defaults) || !isRecord(values)) return values === undefined ? defaults : values;
  const fields = Object.entries(values).map(([name, value]) => [name, over(defaults[name], value)]);
  return { ...defaults, ...Object.fromEntries(fields) };
}
