/**
 * Whether a resourceVersion is of a later write than another of the same kind of object. They are growing decimal
 * numbers, of any length. One that is missing is older than every other.
 */
export function isNewer(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined) return false;
  if (than === undefined) return true;
  return version.length === than.length ? version > than : version.length > than.length;
}
