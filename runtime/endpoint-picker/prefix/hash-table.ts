/** Hashes by hash, 16 bytes a place: a Map of as many would take four times the memory. Keys and values: integers below 2^53. */
export interface HashTable {
  readonly size: number;
  get(key: number): number | undefined;
  set(key: number, value: number): void;
  delete(key: number): void;
  clear(): void;
  values(): Iterable<number>;
}

const FEWEST_PLACES = 64;

/** No integer below 2^53, so never a key. */
const EMPTY = -1;

/** Grows as it fills; `salt`, a 32-bit integer, keeps whoever chooses the keys from making them collide. */
export function createHashTable(salt: number): HashTable {
  let keys = new Float64Array(FEWEST_PLACES).fill(EMPTY);
  let values = new Float64Array(FEWEST_PLACES);
  let mask = FEWEST_PLACES - 1;
  let size = 0;

  function home(key: number): number {
    const high = Math.floor(key / 0x1_0000_0000);
    let h = Math.imul((key >>> 0) ^ salt, 0x85ebca6b) ^ Math.imul(high + salt, 0xc2b2ae35);
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    return (h ^ (h >>> 13)) & mask;
  }

  /** The place of `key`, or the empty one where it belongs. */
  function find(key: number): number {
    let at = home(key);
    while (keys[at] !== EMPTY && keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  function resize(places: number): void {
    const formerKeys = keys;
    const formerValues = values;
    keys = new Float64Array(places).fill(EMPTY);
    values = new Float64Array(places);
    mask = places - 1;
    for (let i = 0; i < formerKeys.length; i++) {
      if (formerKeys[i] === EMPTY) continue;
      const at = find(formerKeys[i]!);
      keys[at] = formerKeys[i]!;
      values[at] = formerValues[i]!;
    }
  }

  return {
    get size() {
      return size;
    },
    get(key) {
      const at = find(key);
      return keys[at] === EMPTY ? undefined : values[at];
    },
    set(key, value) {
      let at = find(key);
      if (keys[at] === EMPTY) {
        if (size >= keys.length * 0.7) {
          resize(keys.length * 2);
          at = find(key);
        }
        keys[at] = key;
        size += 1;
      }
      values[at] = value;
    },
    delete(key) {
      let hole = find(key);
      if (keys[hole] === EMPTY) return;
      size -= 1;
      // What was pushed on past the hole moves back, so that no search ends too early.
      for (let at = (hole + 1) & mask; keys[at] !== EMPTY; at = (at + 1) & mask) {
        if (((at - home(keys[at]!)) & mask) < ((at - hole) & mask)) continue;
        keys[hole] = keys[at]!;
        values[hole] = values[at]!;
        hole = at;
      }
      keys[hole] = EMPTY;
    },
    clear() {
      keys = new Float64Array(FEWEST_PLACES).fill(EMPTY);
      values = new Float64Array(FEWEST_PLACES);
      mask = FEWEST_PLACES - 1;
      size = 0;
    },
    *values() {
      for (let at = 0; at < keys.length; at++) if (keys[at] !== EMPTY) yield values[at]!;
    },
  };
}
