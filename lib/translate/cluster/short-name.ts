import { createHash } from 'node:crypto';

/** Labels, and the names that become host names, have no more characters. */
const MAX_NAME = 63;

/**
 * The name, with `-ending` where one is given, as it is where that may be a DNS label, which it mostly may; else the
 * beginning of the name, a hash of all of it, and the ending: the same for the same name, another for another.
 */
export function shortName(name: string, ending?: string): string {
  const end = ending === undefined ? '' : `-${ending}`;
  const whole = `${name}${end}`;
  if (whole.length <= MAX_NAME && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(whole)) return whole;
  const hash = hashOf(whole);
  const start = name
    .slice(0, MAX_NAME - hash.length - end.length - 1)
    .replace(/[^-a-z0-9]/g, '-')
    .replace(/-+$/, '');
  return `${start}-${hash}${end}`;
}

/** Ten hexadecimal digits: of a few thousand texts no two share them. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
