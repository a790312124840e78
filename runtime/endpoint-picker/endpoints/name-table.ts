/** Finds which of a fixed set of metric names a line begins with. */
export interface NameTable {
  readonly names: readonly string[];
  /** -1: not in the table. */
  numberOf(name: string): number;
  /** The number of the name at the offset, or -1. A name counts only as a whole: followed by labels or a blank. */
  at(page: Uint8Array, offset: number): number;
}

/** Five bits of each of two bytes. */
const BUCKETS = 1 << 10;
const NONE = -1;

/**
 * A page has some hundred lines, most of them not wanted. Two bytes decide on most of those: the first two after the
 * start that all names share. Names are of two characters or more.
 */
export function nameTable(wanted: Iterable<string>): NameTable {
  const names = [...new Set(wanted)];
  const numbers = new Map(names.map((name, number) => [name, number]));
  const spelled = names.map((name) => Buffer.from(name, 'latin1'));
  const decisive = Math.min(sharedStart(names), ...names.map(({ length }) => length - 2));
  // The names of a bucket are chained: the last of them here, and from each the one before.
  const buckets = new Int32Array(BUCKETS).fill(NONE);
  const chain = Int32Array.from(spelled, (name, number) => {
    const bucket = bucketAt(name, decisive);
    const before = buckets[bucket]!;
    buckets[bucket] = number;
    return before;
  });

  return {
    names,
    numberOf: (name) => numbers.get(name) ?? NONE,
    at(page, offset) {
      let number = buckets[bucketAt(page, offset + decisive)]!;
      while (number !== NONE && !isAt(page, spelled[number]!, offset)) number = chain[number]!;
      return number;
    },
  };
}

function sharedStart([first = '', ...others]: readonly string[]): number {
  let length = 0;
  while (length < first.length && others.every((name) => name[length] === first[length])) length += 1;
  return length;
}

/** Beyond the end of the page a byte counts as 0. */
function bucketAt(page: Uint8Array, offset: number): number {
  return ((page[offset]! & 31) << 5) | (page[offset + 1]! & 31);
}

/** From the end, what follows included: names that share a bucket mostly differ there. */
function isAt(page: Uint8Array, name: Uint8Array, offset: number): boolean {
  const after = page[offset + name.length];
  if (after !== 0x7b && after !== 0x20 && after !== 0x09) return false;
  for (let i = name.length - 1; i >= 0; i--) if (page[offset + i] !== name[i]) return false;
  return true;
}
