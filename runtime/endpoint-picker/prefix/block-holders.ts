import type { BlockHash } from '../endpoint-picker';

/** Number of a block's record; 0: nobody holds the block. */
type BlockId = number;

/** Endpoint ids are kept in 16 bits, less the value that stands for none. */
export const MAX_ENDPOINTS = 0xffff;

/**
 * Which endpoints hold a block. Made for reading: a match looks at every holder of every block, and all endpoints hold
 * the blocks of a system prompt. So the holders of a block lie side by side and not one by one all over the memory.
 *
 * Everything is in records of 32 bytes. A block's own has its hash and a list of up to 8 holders. Where there are more,
 * that list is full, and sets, of 192 neighbouring ids a record, have the others.
 */
export interface BlockHolders {
  /** `guess`: where it may well be. Blocks that were added one after the other have ids one after the other. */
  find(hash: BlockHash, guess: BlockId): BlockId;
  /** `block`: what `find` returned, not 0. */
  holds(block: BlockId, endpoint: number): boolean;
  /** `found`: what `find` returned. `endpoint`, below `MAX_ENDPOINTS`, is no holder of the block yet. */
  add(found: BlockId, hash: BlockHash, endpoint: number): BlockId;
  /** `endpoint` is a holder. The id of a block that nobody holds any more will stand for another block. */
  remove(block: BlockId, endpoint: number): void;
  /**
   * Adds to `matched`, which is zero, for each endpoint the length of the longest run of blocks, from the first on, that
   * it holds. Quickest where the last block was added first.
   */
  match(hashes: readonly BlockHash[], matched: Int32Array): void;
}

const RECORD_BYTES = 32;
// Places of a record in 32-bit words. A block's hash takes the first two, its list the last four.
const WORDS = RECORD_BYTES / Int32Array.BYTES_PER_ELEMENT;
const NEXT_BLOCK = 2;
const SETS = 3;
// Of a set, whose bits are in the words after these two. The number of its range is written with all bits flipped: the
// two words together then are no number, and never a hash.
const NEXT_SET = 0;
const RANGE = 1;
const FIRST_BITS = 2;
// Of a free record.
const NEXT_FREE = 0;
const NO_HASH = 1;
/** Of a block's record: the first word of its list. */
const FIRST_LISTED = 4;
// The list in 16-bit places: holders as id + 1, so that 0 is an empty place.
const PLACES = RECORD_BYTES / Uint16Array.BYTES_PER_ELEMENT;
const FIRST_PLACE = 8;
const IDS_IN_SET = (WORDS - FIRST_BITS) * 32;

/**
 * `maxHoldings`: the most (block, endpoint) pairs at any time; the memory, 32 bytes and a bucket for each, is reserved
 * at once but taken from the system as it fills. `random` salts the buckets, so that nobody can choose prompts that
 * fall into one bucket.
 */
export function createBlockHolders(maxHoldings: number, random: () => number): BlockHolders {
  // A record has at least one holder; record 0 is nobody's.
  const memory = new ArrayBuffer((maxHoldings + 1) * RECORD_BYTES);
  const words = new Int32Array(memory);
  const hashes = new Float64Array(memory);
  const places = new Uint16Array(memory);
  const buckets = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(2, maxHoldings))));
  const mask = buckets.length - 1;
  const saltLow = odd(random);
  const saltHigh = odd(random);
  let used = 0;
  let free = 0;

  function bucketOf(hash: BlockHash): number {
    const high = Math.floor(hash / 0x1_0000_0000);
    const mixed = Math.imul(hash >>> 0, saltLow) + Math.imul(high, saltHigh);
    return (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 7) & mask;
  }

  function find(hash: BlockHash, guess: BlockId): BlockId {
    if (guess > 0 && guess <= used && hashes[guess * (WORDS / 2)] === hash) return guess;
    let block = buckets[bucketOf(hash)]!;
    while (block !== 0 && hashes[block * (WORDS / 2)] !== hash) block = words[block * WORDS + NEXT_BLOCK]!;
    return block;
  }

  function take(): number {
    if (free === 0) return ++used;
    const record = free;
    free = words[record * WORDS + NEXT_FREE]!;
    words.fill(0, record * WORDS, (record + 1) * WORDS);
    return record;
  }

  function giveBack(record: number): void {
    words[record * WORDS + NEXT_FREE] = free;
    words[record * WORDS + NO_HASH] = -1;
    free = record;
  }

  function create(hash: BlockHash): BlockId {
    const block = take();
    const bucket = bucketOf(hash);
    hashes[block * (WORDS / 2)] = hash;
    words[block * WORDS + NEXT_BLOCK] = buckets[bucket]!;
    buckets[bucket] = block;
    return block;
  }

  function forget(block: BlockId): void {
    const bucket = bucketOf(hashes[block * (WORDS / 2)]!);
    const next = words[block * WORDS + NEXT_BLOCK]!;
    let at = buckets[bucket]!;
    if (at === block) buckets[bucket] = next;
    else {
      while (words[at * WORDS + NEXT_BLOCK] !== block) at = words[at * WORDS + NEXT_BLOCK]!;
      words[at * WORDS + NEXT_BLOCK] = next;
    }
    giveBack(block);
  }

  /** The place of `holder` (0: the first empty one) in the list, or -1. */
  function placeOf(block: BlockId, holder: number): number {
    for (let at = block * PLACES + FIRST_PLACE; at < (block + 1) * PLACES; at++) if (places[at] === holder) return at;
    return -1;
  }

  function isInSets(block: BlockId, endpoint: number): boolean {
    const range = rangeOf(endpoint);
    let set = words[block * WORDS + SETS]!;
    while (set !== 0 && words[set * WORDS + RANGE] !== range) set = words[set * WORDS + NEXT_SET]!;
    const bit = endpoint % IDS_IN_SET;
    return set !== 0 && (words[set * WORDS + FIRST_BITS + (bit >> 5)]! & (1 << bit)) !== 0;
  }

  function addToSets(block: BlockId, endpoint: number): void {
    const range = rangeOf(endpoint);
    let set = words[block * WORDS + SETS]!;
    while (set !== 0 && words[set * WORDS + RANGE] !== range) set = words[set * WORDS + NEXT_SET]!;
    if (set === 0) {
      set = take();
      words[set * WORDS + NEXT_SET] = words[block * WORDS + SETS]!;
      words[set * WORDS + RANGE] = range;
      words[block * WORDS + SETS] = set;
    }
    const bit = endpoint % IDS_IN_SET;
    words[set * WORDS + FIRST_BITS + (bit >> 5)]! |= 1 << bit;
  }

  function removeFromSets(block: BlockId, endpoint: number): void {
    const range = rangeOf(endpoint);
    let link = block * WORDS + SETS;
    while (words[words[link]! * WORDS + RANGE] !== range) link = words[link]! * WORDS + NEXT_SET;
    const set = words[link]!;
    const bit = endpoint % IDS_IN_SET;
    words[set * WORDS + FIRST_BITS + (bit >> 5)]! &= ~(1 << bit);
    for (let at = set * WORDS + FIRST_BITS; at < (set + 1) * WORDS; at++) if (words[at] !== 0) return;
    words[link] = words[set * WORDS + NEXT_SET]!;
    giveBack(set);
  }

  /** Some holder in the sets, which are not empty. */
  function anyInSets(block: BlockId): number {
    const set = words[block * WORDS + SETS]!;
    let word = 0;
    while (words[set * WORDS + FIRST_BITS + word] === 0) word++;
    return firstOf(words[set * WORDS + RANGE]!) + word * 32 + lowestBit(words[set * WORDS + FIRST_BITS + word]!);
  }

  /** Moves the last of the list, or one from the sets, to `place`, from which a holder has gone. */
  function fill(block: BlockId, place: number): void {
    if (words[block * WORDS + SETS] !== 0) {
      const endpoint = anyInSets(block);
      removeFromSets(block, endpoint);
      places[place] = endpoint + 1;
      return;
    }
    let last = (block + 1) * PLACES - 1;
    while (places[last] === 0) last--;
    places[place] = places[last]!;
    places[last] = 0;
  }

  /** Adds `by` in `matched` for each holder that has `length` there; false where there is none. */
  function extend(block: BlockId, length: number, by: number, matched: Int32Array): boolean {
    let extended = false;
    for (let at = block * PLACES + FIRST_PLACE; at < (block + 1) * PLACES; at++) {
      const holder = places[at]!;
      if (holder === 0) return extended;
      if (matched[holder - 1] !== length) continue;
      matched[holder - 1] = length + by;
      extended = true;
    }
    for (let set = words[block * WORDS + SETS]!; set !== 0; set = words[set * WORDS + NEXT_SET]!) {
      let first = firstOf(words[set * WORDS + RANGE]!);
      for (let at = set * WORDS + FIRST_BITS; at < (set + 1) * WORDS; at++, first += 32) {
        for (let bits = words[at]!; bits !== 0; bits &= bits - 1) {
          const endpoint = first + lowestBit(bits);
          if (matched[endpoint] !== length) continue;
          matched[endpoint] = length + by;
          extended = true;
        }
      }
    }
    return extended;
  }

  /** The block of `hashes[at]`, which `block` stands before; 0: there is none. */
  function nextOf(block: BlockId, hashes: readonly BlockHash[], at: number): BlockId {
    return at < hashes.length ? find(hashes[at]!, block - 1) : 0;
  }

  /** Both have the same holders, kept in the same order; blocks that came together mostly have. */
  function haveSameHolders(a: BlockId, b: BlockId): boolean {
    if (!areSame(a * WORDS + FIRST_LISTED, b * WORDS + FIRST_LISTED, WORDS - FIRST_LISTED)) return false;
    let [setA, setB] = [words[a * WORDS + SETS]!, words[b * WORDS + SETS]!];
    while (setA !== 0 && setB !== 0) {
      if (!areSame(setA * WORDS + RANGE, setB * WORDS + RANGE, WORDS - RANGE)) return false;
      setA = words[setA * WORDS + NEXT_SET]!;
      setB = words[setB * WORDS + NEXT_SET]!;
    }
    return setA === setB;
  }

  function areSame(a: number, b: number, count: number): boolean {
    for (let i = 0; i < count; i++) if (words[a + i] !== words[b + i]) return false;
    return true;
  }

  return {
    find,
    holds: (block, endpoint) => placeOf(block, endpoint + 1) >= 0 || isInSets(block, endpoint),
    add(found, hash, endpoint) {
      const block = found || create(hash);
      const place = placeOf(block, 0);
      if (place < 0) addToSets(block, endpoint);
      else places[place] = endpoint + 1;
      return block;
    },
    remove(block, endpoint) {
      const place = placeOf(block, endpoint + 1);
      if (place < 0) removeFromSets(block, endpoint);
      else fill(block, place);
      if (places[block * PLACES + FIRST_PLACE] === 0) forget(block);
    },
    match(hashes, matched) {
      // Blocks with the same holders as the one before are only counted, and added at once.
      let block = hashes.length === 0 ? 0 : find(hashes[0]!, 0);
      let length = 0;
      while (block !== 0 && extend(block, length, 1, matched)) {
        length += 1;
        const from = length;
        let next = nextOf(block, hashes, length);
        for (let last = next; last !== 0 && haveSameHolders(last, block); last = next) {
          length += 1;
          next = nextOf(last, hashes, length);
        }
        if (length > from) extend(block, from, length - from, matched);
        block = next;
      }
    },
  };
}

function rangeOf(endpoint: number): number {
  return ~Math.floor(endpoint / IDS_IN_SET);
}

function firstOf(range: number): number {
  return ~range * IDS_IN_SET;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function odd(random: () => number): number {
  return Math.floor(random() * 0x1_0000_0000) | 1;
}
