import type { BlockHash } from '../endpoint-picker';
import { createBlockHolders, MAX_ENDPOINTS } from './block-holders';

/**
 * Which endpoints are thought to hold which prompt blocks. Approximate: it remembers what was sent where, not what the
 * engines kept.
 *
 * Memory is bounded: every (block, endpoint) pair is one row, and each endpoint has a list of its rows by last use. An
 * endpoint at its limit forgets its least recently used block.
 */
export interface PrefixIndex {
  /** Pairs held. */
  readonly size: number;
  /**
   * Writes for each endpoint id below `matched.length` the length of the longest run of blocks, from the first on,
   * that it holds.
   */
  match(hashes: readonly BlockHash[], matched: Int32Array): void;
  /** The endpoint is about to hold these blocks. `endpoint`: a small integer; from 65,535 on nothing is kept. */
  add(hashes: readonly BlockHash[], endpoint: number): void;
  /** The endpoint's own cache holds so many blocks: it keeps no more here either. At least 1. */
  limit(endpoint: number, blocks: number): void;
  /** Forgets an endpoint that went away. */
  purge(endpoint: number): void;
  /** Blocks kept of the endpoint. */
  sizeOf(endpoint: number): number;
}

export interface PrefixIndexLimits {
  /** Pairs in all. Default 2^21: 120 MiB when full, taken from the system as it fills. */
  readonly maxPairs?: number;
  /** Blocks of one endpoint. Default 31,250, as in the Gateway API Inference Extension. */
  readonly maxBlocksPerEndpoint?: number;
}

const DEFAULT_MAX_PAIRS = 1 << 21;
const DEFAULT_MAX_BLOCKS_PER_ENDPOINT = 31_250;

// A row in 32-bit words. Row 0 is nobody's and stands for none.
const WORDS = 5;
const BLOCK = 0;
const ENDPOINT = 1;
/** The next row of the bucket, or of the free list. */
const NEXT = 2;
const NEWER = 3;
const OLDER = 4;

/** One endpoint's list by last use. */
interface Recency {
  newest: number;
  oldest: number;
  size: number;
  /** Blocks that the endpoint's own cache holds; Infinity where that is not known. */
  limit: number;
}

/** `random` salts the hash table, so that nobody can choose prompts that fall into one bucket. */
export function createPrefixIndex(random: () => number, limits: PrefixIndexLimits = {}): PrefixIndex {
  const maxPairs = limits.maxPairs ?? DEFAULT_MAX_PAIRS;
  const maxBlocks = Math.min(maxPairs, limits.maxBlocksPerEndpoint ?? DEFAULT_MAX_BLOCKS_PER_ENDPOINT);
  const holders = createBlockHolders(maxPairs, random);
  const recencies = new Map<number, Recency>();
  const rows = new Int32Array((maxPairs + 1) * WORDS);
  const buckets = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(2, maxPairs))));
  const mask = buckets.length - 1;
  let used = 0;
  let free = 0;
  let size = 0;

  function bucketOf(block: number, endpoint: number): number {
    const mixed = Math.imul(block, 0x9e3779b1) + Math.imul(endpoint, 0x85ebca6b);
    return (mixed ^ (mixed >>> 15)) & mask;
  }

  function isRowOf(row: number, block: number, endpoint: number): boolean {
    return rows[row * WORDS + BLOCK] === block && rows[row * WORDS + ENDPOINT] === endpoint;
  }

  /** The row of a pair, or 0. Rows of one prompt mostly lie one after the other, so that `guess` is often right. */
  function find(block: number, endpoint: number, guess: number): number {
    if (isRowOf(guess, block, endpoint)) return guess;
    let row = buckets[bucketOf(block, endpoint)]!;
    while (row !== 0 && !isRowOf(row, block, endpoint)) row = rows[row * WORDS + NEXT]!;
    return row;
  }

  /** A row that is nobody's, or 0. */
  function takeRow(): number {
    if (free === 0) return used < maxPairs ? ++used : 0;
    const row = free;
    free = rows[row * WORDS + NEXT]!;
    return row;
  }

  function pushBucket(row: number, bucket: number): void {
    rows[row * WORDS + NEXT] = buckets[bucket]!;
    buckets[bucket] = row;
  }

  function removeFromBucket(row: number, bucket: number): void {
    const next = rows[row * WORDS + NEXT]!;
    let at = buckets[bucket]!;
    if (at === row) {
      buckets[bucket] = next;
      return;
    }
    while (rows[at * WORDS + NEXT] !== row) at = rows[at * WORDS + NEXT]!;
    rows[at * WORDS + NEXT] = next;
  }

  function pushNewest(recency: Recency, row: number): void {
    rows[row * WORDS + OLDER] = recency.newest;
    rows[row * WORDS + NEWER] = 0;
    if (recency.newest === 0) recency.oldest = row;
    else rows[recency.newest * WORDS + NEWER] = row;
    recency.newest = row;
  }

  function removeFromRecency(recency: Recency, row: number): void {
    const newer = rows[row * WORDS + NEWER]!;
    const older = rows[row * WORDS + OLDER]!;
    if (newer === 0) recency.newest = older;
    else rows[newer * WORDS + OLDER] = older;
    if (older === 0) recency.oldest = newer;
    else rows[older * WORDS + NEWER] = newer;
  }

  function forgetOldest(recency: Recency): void {
    const row = recency.oldest;
    const block = rows[row * WORDS + BLOCK]!;
    const endpoint = rows[row * WORDS + ENDPOINT]!;
    removeFromRecency(recency, row);
    removeFromBucket(row, bucketOf(block, endpoint));
    holders.remove(block, endpoint);
    rows[row * WORDS + BLOCK] = 0;
    rows[row * WORDS + NEXT] = free;
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
    const created = { newest: 0, oldest: 0, size: 0, limit: Number.POSITIVE_INFINITY };
    recencies.set(endpoint, created);
    // The others' parts have become smaller.
    const limit = share();
    for (const recency of recencies.values()) while (recency.size > limit) forgetOldest(recency);
    return created;
  }

  /** Returns the row of the pair; `previous`: that of the block after it in the prompt, or 0. */
  function addOne(hash: BlockHash, endpoint: number, recency: Recency, limit: number, previous: number): number {
    const found = holders.find(hash, rows[previous * WORDS + BLOCK]! + 1);
    const known = found === 0 ? 0 : find(found, endpoint, previous + 1);
    if (known !== 0) {
      if (recency.newest === known) return known;
      removeFromRecency(recency, known);
      pushNewest(recency, known);
      return known;
    }
    // What is forgotten is another block's: the endpoint does not hold this one.
    if (recency.size >= limit) forgetOldest(recency);
    const row = takeRow();
    if (row === 0) return 0;
    const block = holders.add(found, hash, endpoint);
    rows[row * WORDS + BLOCK] = block;
    rows[row * WORDS + ENDPOINT] = endpoint;
    pushBucket(row, bucketOf(block, endpoint));
    pushNewest(recency, row);
    recency.size += 1;
    size += 1;
    return row;
  }

  return {
    get size() {
      return size;
    },
    match(hashes, matched) {
      matched.fill(0);
      holders.match(hashes, matched);
    },
    add(hashes, endpoint) {
      if (hashes.length === 0 || endpoint >= MAX_ENDPOINTS) return;
      const recency = recencyOf(endpoint);
      const limit = Math.min(share(), recency.limit);
      // Last block first: what is forgotten first is then the end of a prompt, not the start that the rest hangs on.
      let row = 0;
      for (let block = Math.min(hashes.length, limit) - 1; block >= 0; block--) {
        row = addOne(hashes[block]!, endpoint, recency, limit, row);
      }
    },
    limit(endpoint, blocks) {
      if (endpoint >= MAX_ENDPOINTS) return;
      const recency = recencyOf(endpoint);
      recency.limit = Math.max(1, Math.floor(blocks));
      while (recency.size > recency.limit) forgetOldest(recency);
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
