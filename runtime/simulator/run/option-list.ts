import { nearestName } from '../../../lib/api/validation/nearest-name';

/** The parts of a comma-separated list, without blanks around them and without empty ones. */
export function optionList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/**
 * The names of a list without repeats; `all` stands for all that are known. Throws an error that names `option` when
 * there is none, or one that is not known.
 */
export function optionNames(
  option: string,
  named: readonly string[],
  kind: string,
  known: readonly string[],
): string[] {
  const expected = `expected "all" or some of ${known.join(', ')}`;
  if (named.length === 0) throw new Error(`${option}: names no ${kind}; ${expected}`);
  for (const name of named) {
    if (name === 'all' || known.includes(name)) continue;
    throw new Error(`${option} ${name}: there is no such ${kind}; ${didYouMean(name, known) ?? expected}`);
  }
  return [...new Set(named.flatMap((name) => (name === 'all' ? known : [name])))];
}

/** `did you mean …?` where a known name is near. */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  const near = nearestName(name, known);
  return near === undefined ? undefined : `did you mean ${near}?`;
}
