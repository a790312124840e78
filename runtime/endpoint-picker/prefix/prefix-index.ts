import type { BlockHash } from '../endpoint-picker';

/**
 * Which endpoints are thought to hold which prompt blocks. Approximate: it remembers what was sent where, not what the
 * engines kept.
 *
 * Memory is bounded and flat: every (block, endpoint) pair is one row of a few typed arrays, 32 bytes in all with its
 * share of the hash buckets. Rows are in two lists: the rows of one bucket, and the rows of one endpoint by last use.
 * An endpoint at its limit forgets its least recently used block.
 */
export interface PrefixIndex {
  /** Pairs held. */
  readonly size: number;
  /**
   * Writes for each endpoint id below `matched.length` the length of the longest run of blocks, from the first on,
   * that it holds.
   */
  match(hashes: readonly BlockHash[], matched: Int32Array): void;
  /** The endpoint is about to hold these blocks. `endpoint`: a small integer, below `maxEndpoints`. */
  add(hashes: readonly BlockHash[], endpoint: number): void;
  /** Forgets an endpoint that went away. */
  purge(endpoint: number): void;
  /** Blocks kept of the endpoint. */
  sizeOf(endpoint: number): number;
}

export interface PrefixIndexLimits {
  /** Pairs in all. Default 2^21: 64 MiB when full. */
  readonly maxPairs?: number;
  /** Blocks of one endpoint. Default 31,250, as in the Gateway API Inference Extension. */
  readonly maxBlocksPerEndpoint?: number;
}

const DEFAULT_MAX_PAIRS = 1 << 21;
const DEFAULT_MAX_BLOCKS_PER_ENDPOINT = 31_250;
const FIRST_CAPACITY = 1 << 10;
const NONE = -1;

/** One endpoint's list by last use. */
interface Recency {
  newest: number;
  oldest: number;
  size: number;
}

/** `random` salts the buckets, so that nobody can choose prompts that fall into one bucket. */
export function createPrefixIndex(random: () => number, limits: PrefixIndexLimits = {}): PrefixIndex {
  const maxPairs = limits.maxPairs ?? DEFAULT_MAX_PAIRS;
  const maxBlocks = Math.min(maxPairs, limits.maxBlocksPerEndpoint ?? DEFAULT_MAX_BLOCKS_PER_ENDPOINT);
  const saltLow = odd(random);
  const saltHigh = odd(random);

  const recencies = new Map<number, Recency>();
  let capacity = Math.min(FIRST_CAPACITY, maxPairs);
  let rows = createRows(capacity);
  let buckets = createBuckets(capacity);
  let used = 0;
  let free = NONE;
  let size = 0;

  function bucketOf(hash: BlockHash): number {
    const high = Math.floor(hash / 0x1_0000_0000);
    const mixed = Math.imul(hash >>> 0, saltLow) + Math.imul(high, saltHigh);
    return (Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 7) & (buckets.length - 1);
  }

  function find(hash: BlockHash, endpoint: number): number {
    let row = buckets[bucketOf(hash)]!;
    while (row !== NONE && (rows.endpoint[row] !== endpoint || rows.hash[row] !== hash)) row = rows.next[row]!;
    return row;
  }

  function takeRow(): number {
    if (free !== NONE) {
      const row = free;
      free = rows.next[row]!;
      return row;
    }
    if (used === capacity) grow();
    return used < capacity ? used++ : NONE;
  }

  function grow(): void {
    if (capacity === maxPairs) return;
    capacity = Math.min(maxPairs, capacity * 2);
    rows = copyRows(rows, createRows(capacity));
    buckets = createBuckets(capacity);
    // Called when every row is in use, so every row has a bucket.
    for (let row = 0; row < used; row++) pushBucket(row);
  }

  function pushBucket(row: number): void {
    const bucket = bucketOf(rows.hash[row]!);
    rows.next[row] = buckets[bucket]!;
    buckets[bucket] = row;
  }

  function removeFromBucket(row: number): void {
    const bucket = bucketOf(rows.hash[row]!);
    let at = buckets[bucket]!;
    if (at === row) {
      buckets[bucket] = rows.next[row]!;
      return;
    }
    while (rows.next[at] !== row) at = rows.next[at]!;
    rows.next[at] = rows.next[row]!;
  }

  function pushNewest(recency: Recency, row: number): void {
    rows.older[row] = recency.newest;
    rows.newer[row] = NONE;
    if (recency.newest === NONE) recency.oldest = row;
    else rows.newer[recency.newest] = row;
    recency.newest = row;
  }

  function removeFromRecency(recency: Recency, row: number): void {
    const newer = rows.newer[row]!;
    const older = rows.older[row]!;
    if (newer === NONE) recency.newest = older;
    else rows.older[newer] = older;
    if (older === NONE) recency.oldest = newer;
    else rows.newer[older] = newer;
  }

  function forgetOldest(recency: Recency): void {
    const row = recency.oldest;
    removeFromRecency(recency, row);
    removeFromBucket(row);
    rows.next[row] = free;
    free = row;
    recency.size -= 1;
    size -= 1;
  }

  /** Each endpoint's part of the whole, so that a new one always finds room. */
  function share(): number {
    return Math.max(1, Math.min(maxBlocks, Math.floor(maxPairs / recencies.size)));
  }

  function recencyOf(endpoint: number): Recency {
    const known = recencies.get(endpoint);
    if (known !== undefined) return known;
    const created = { newest: NONE, oldest: NONE, size: 0 };
    recencies.set(endpoint, created);
    // The others' parts have become smaller.
    const limit = share();
    for (const recency of recencies.values()) while (recency.size > limit) forgetOldest(recency);
    return created;
  }

  function addOne(hash: BlockHash, endpoint: number, recency: Recency, limit: number): void {
    const known = find(hash, endpoint);
    if (known !== NONE) {
      if (recency.newest === known) return;
      removeFromRecency(recency, known);
      pushNewest(recency, known);
      return;
    }
    if (recency.size >= limit) forgetOldest(recency);
    const row = takeRow();
    if (row === NONE) return;
    rows.hash[row] = hash;
    rows.endpoint[row] = endpoint;
    pushBucket(row);
    pushNewest(recency, row);
    recency.size += 1;
    size += 1;
  }

  return {
    get size() {
      return size;
    },
    match(hashes, matched) {
      matched.fill(0);
      for (let block = 0; block < hashes.length; block++) {
        const hash = hashes[block]!;
        let extended = false;
        for (let row = buckets[bucketOf(hash)]!; row !== NONE; row = rows.next[row]!) {
          const endpoint = rows.endpoint[row]!;
          if (rows.hash[row] === hash && matched[endpoint] === block) {
            matched[endpoint] = block + 1;
            extended = true;
          }
        }
        if (!extended) return;
      }
    },
    add(hashes, endpoint) {
      if (hashes.length === 0) return;
      const recency = recencyOf(endpoint);
      const limit = share();
      // Last block first: what is forgotten first is then the end of a prompt, not the start that the rest hangs on.
      for (let block = Math.min(hashes.length, limit) - 1; block >= 0; block--) {
        addOne(hashes[block]!, endpoint, recency, limit);
      }
    },
    purge(endpoint) {
      const recency = recencies.get(endpoint);
      if (recency === undefined) return;
      while (recency.size > 0) forgetOldest(recency);
      recencies.delete(endpoint);
    },
    sizeOf(endpoint) {
      return recencies.get(endpoint)?.size ?? 0;
    },
  };
}

interface Rows {
  readonly hash: Float64Array;
  readonly endpoint: Int32Array;
  /** Next row of the bucket, or of the free list. */
  readonly next: Int32Array;
  readonly newer: Int32Array;
  readonly older: Int32Array;
}

function createRows(capacity: number): Rows {
  return {
    hash: new Float64Array(capacity),
    endpoint: new Int32Array(capacity),
    next: new Int32Array(capacity),
    newer: new Int32Array(capacity),
    older: new Int32Array(capacity),
  };
}

function copyRows(from: Rows, to: Rows): Rows {
  to.hash.set(from.hash);
  to.endpoint.set(from.endpoint);
  to.next.set(from.next);
  to.newer.set(from.newer);
  to.older.set(from.older);
  return to;
}

/** A power of two of buckets, at least one for each row. */
function createBuckets(capacity: number): Int32Array {
  return new Int32Array(2 ** Math.ceil(Math.log2(Math.max(2, capacity)))).fill(NONE);
}

function odd(random: () => number): number {
  return Math.floor(random() * 0x1_0000_0000) | 1;
}
